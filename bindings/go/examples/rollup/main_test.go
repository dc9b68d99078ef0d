package main

import (
	"bytes"
	"strings"
	"testing"

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
