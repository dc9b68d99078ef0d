// Package types has the byte arrays of EIP-4844 and EIP-7594, which the packages of this module share.
package types

import (
	"bytes"
	"encoding/hex"
	"errors"
)

// Sizes that EIP-4844 and EIP-7594 fix.
const (
	BytesPerBlob         = FieldElementsPerBlob * BytesPerFieldElement
	BytesPerCell         = FieldElementsPerCell * BytesPerFieldElement
	BytesPerCommitment   = 48
	BytesPerFieldElement = 32
	BytesPerProof        = 48
	CellsPerExtBlob      = 2 * FieldElementsPerBlob / FieldElementsPerCell
	FieldElementsPerBlob = 4096
	FieldElementsPerCell = 64
)

type (
	// Bytes32 is a field element, most significant byte first, or 32 bytes that are not checked.
	Bytes32 [32]byte
	// Bytes48 is a commitment or a proof, or 48 bytes that are not checked.
	Bytes48 [48]byte
	// KZGCommitment is a compressed point of G1.
	KZGCommitment Bytes48
	// KZGProof is a compressed point of G1.
	KZGProof Bytes48
	// Blob is 4096 field elements.
	Blob [BytesPerBlob]byte
	// Cell is 64 field elements.
	Cell [BytesPerCell]byte
)

// ErrBadArgs is the error of inputs that are refused.
var ErrBadArgs = errors.New("bad arguments")

func unmarshal(out, text []byte) error {
	digits := bytes.TrimPrefix(text, []byte("0x"))
	if len(digits) != 2*len(out) {
		return ErrBadArgs
	}
	_, err := hex.Decode(out, digits)
	return err
}

// UnmarshalText reads hexadecimal digits, with 0x before them or without.
func (b *Bytes32) UnmarshalText(text []byte) error { return unmarshal(b[:], text) }

// UnmarshalText reads hexadecimal digits, with 0x before them or without.
func (b *Bytes48) UnmarshalText(text []byte) error { return unmarshal(b[:], text) }

// UnmarshalText reads hexadecimal digits, with 0x before them or without.
func (b *Blob) UnmarshalText(text []byte) error { return unmarshal(b[:], text) }

// UnmarshalText reads hexadecimal digits, with 0x before them or without.
func (c *Cell) UnmarshalText(text []byte) error { return unmarshal(c[:], text) }
