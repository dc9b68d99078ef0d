package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ethereum/c-kzg-4844/v2/batch"
	. "github.com/ethereum/c-kzg-4844/v2/types"
)

func TestBlobsOfAFileAreVerified(t *testing.T) {
	perBlob := FieldElementsPerBlob * (BytesPerFieldElement - 1)
	for _, test := range []struct {
		bytes int
		says  []string
	}{
		{0, []string{"0 blobs", "verified: true"}},
		{1, []string{"1 blobs", "verified: true", "verified after a changed bit: false"}},
		{perBlob, []string{"1 blobs", "verified: true"}},
		{perBlob + 1, []string{"2 blobs", "blob 1: 01", "verified: true", "verified after a changed bit: false"}},
	} {
		var out bytes.Buffer
		if err := run(bytes.Repeat([]byte{0xff}, test.bytes), &out); err != nil {
			t.Fatal(err)
		}
		for _, says := range test.says {
			if !strings.Contains(out.String(), says) {
				t.Errorf("%d bytes: no %q in\n%s", test.bytes, says, out.String())
			}
		}
	}
}

func TestBlobsOfAnotherTransactionAreRefused(t *testing.T) {
	context, err := batch.New(batch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer context.Close()
	blobs := split([]byte("some bytes"))
	commitments, errs := context.Commitments(blobs)
	if errs != nil {
		t.Fatal(errs)
	}
	given := []Bytes48{Bytes48(commitments[0])}
	proofs, errs, err := context.BlobProofs(blobs, given)
	if errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	hash := versionedHash(given[0])
	another := hash
	another[31] ^= 1
	for _, test := range []struct {
		hashes   [][32]byte
		verified bool
	}{
		{[][32]byte{hash}, true},
		{[][32]byte{another}, false},
		{nil, false},
		{[][32]byte{hash, hash}, false},
	} {
		ok, err := verify(context, test.hashes, blobs, given, []Bytes48{Bytes48(proofs[0])})
		if ok != test.verified || err != nil {
			t.Errorf("%x: %v %v", test.hashes, ok, err)
		}
	}
}
