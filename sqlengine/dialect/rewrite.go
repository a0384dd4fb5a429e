package dialect

import (
	"sort"
	"strings"
)

// edit replaces [from, to) of the typed text by text.
type edit struct {
	from, to int
	text     string
}

// rewritten is a text made from pieces of the typed one, with the way back.
type rewritten struct {
	src string
	out strings.Builder
	// pieces are sorted by at. From at on, the new text is the typed one from
	// old on when copied; else it stands for the typed [old, oldTo).
	pieces  []piece
	changed bool // some piece is not copied
}

type piece struct {
	at, old, oldTo int
	copied         bool
}

func (r *rewritten) copy(from, to int) {
	if from >= to {
		return
	}
	r.pieces = append(r.pieces, piece{r.out.Len(), from, to, true})
	r.out.WriteString(r.src[from:to])
}

// put adds text that stands for the typed [old, oldTo).
func (r *rewritten) put(text string, old, oldTo int) {
	r.changed = true
	if text == "" {
		return
	}
	r.pieces = append(r.pieces, piece{r.out.Len(), old, oldTo, false})
	r.out.WriteString(text)
}

// apply adds [from, to) of the typed text with edits, which are sorted by
// position. Of two that overlap the first counts.
func (r *rewritten) apply(from, to int, edits []edit) {
	at := from
	for _, e := range edits {
		if e.from < at || e.to > to {
			continue
		}
		r.copy(at, e.from)
		r.put(e.text, e.from, e.to)
		at = e.to
	}
	r.copy(at, to)
}

// pieceAt returns the piece that byte pos of the new text lies in.
func (r *rewritten) pieceAt(pos int) (piece, bool) {
	i := sort.Search(len(r.pieces), func(i int) bool { return r.pieces[i].at > pos }) - 1
	if i < 0 {
		return piece{}, false
	}
	return r.pieces[i], true
}

// old maps the offset of a byte in the new text to one in the typed text.
func (r *rewritten) old(pos int) int {
	p, ok := r.pieceAt(pos)
	if !ok {
		return 0
	}
	if !p.copied {
		return p.old
	}
	return min(p.old+pos-p.at, p.oldTo)
}

// oldEnd maps the end of a span of bytes, an exclusive offset.
func (r *rewritten) oldEnd(pos int) int {
	p, ok := r.pieceAt(pos - 1)
	if !ok {
		return 0
	}
	if !p.copied {
		return p.oldTo
	}
	return min(p.old+pos-p.at, p.oldTo)
}
