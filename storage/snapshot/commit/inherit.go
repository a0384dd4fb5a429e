package commit

// Inherit takes over from a Committer of the same table with other settings, nil
// being none, which must not be used any more: c then knows which snapshot was
// published last and notices when it was replaced.
func (c *Committer) Inherit(from *Committer) {
	if from == nil {
		return
	}
	from.turn <- struct{}{}
	defer from.give()
	c.last, from.last = from.last, nil
}
