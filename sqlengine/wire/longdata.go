package wire

import (
	"encoding/binary"
	"fmt"

	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// longData takes a piece of a parameter of a prepared statement, COM_STMT_SEND_LONG_DATA,
// which has no answer: what is wrong with it is told when the statement is executed.
// All pieces together may be as long as a packet.
func (x *commands) longData(payload []byte) error {
	id := statementID(payload)
	p := x.c.PrepareData[id]
	if p == nil || len(payload) < commandHead+2 {
		return nil
	}
	param := binary.LittleEndian.Uint16(payload[commandHead:])
	piece := payload[commandHead+2:]
	if param >= p.ParamsCount {
		x.refuse(id, bridge.Errorf(bridge.CodeBadArguments, "Incorrect arguments to mysqld_stmt_send_long_data"))
		return nil
	}
	key := fmt.Sprintf("v%d", param+1)
	v := p.BindVars[key]
	if v == nil {
		v = sqltypes.BytesBindVariable(nil)
		p.BindVars[key] = v
	}
	if len(v.Value)+len(piece) > x.client.limit {
		v.Value = nil
		x.refuse(id, bridge.Errorf(bridge.CodeUnknown, "Parameter of prepared statement which is set through mysql_send_long_data() is longer than 'max_allowed_packet' bytes"))
		return nil
	}
	v.Value = append(v.Value, piece...)
	return nil
}

// refuse keeps an error for the next execution of a statement.
func (x *commands) refuse(id uint32, err error) {
	if x.refused == nil {
		x.refused = map[uint32]error{}
	}
	x.refused[id] = err
}

// takeRefused is the error that an execution begins with, which is gone then.
func (x *commands) takeRefused(id uint32) error {
	err := x.refused[id]
	delete(x.refused, id)
	if p := x.c.PrepareData[id]; err != nil && p != nil {
		clear(p.BindVars)
	}
	return err
}
