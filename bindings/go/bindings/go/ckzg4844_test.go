package ckzg4844

import (
	"os"
	"sync"
	"testing"
)

// The tests of c-kzg-4844 compare results with the official vectors (scripts/test-go); these are about what is different
// in this binding: locks, pointers and lengths.

func panics(t *testing.T, why string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if recover() == nil {
			t.Fatal(why)
		}
	}()
	f()
}

func loadFile(t *testing.T, precompute uint) {
	t.Helper()
	path := os.Getenv("PARCRYPT_TRUSTED_SETUP")
	if path == "" {
		t.Skip("SKIP go trusted-setup PARCRYPT_TRUSTED_SETUP names no file")
	}
	if err := LoadTrustedSetupFile(path, precompute); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(FreeTrustedSetup)
}

func blob(seed byte) *Blob {
	blob := new(Blob)
	for i := range blob {
		if i%BytesPerFieldElement != 0 {
			blob[i] = byte(i*i) ^ seed
		}
	}
	return blob
}

func TestSetupsAreLoadedOnceAndFreed(t *testing.T) {
	panics(t, "a call without a setup", func() { BlobToKZGCommitment(blob(1)) })
	panics(t, "a batch without a setup", func() { VerifyBlobKZGProofBatch(make([]Blob, 1), nil, nil) })
	panics(t, "nothing to free", FreeTrustedSetup)
	panics(t, "no such file", func() { LoadTrustedSetupFile("/nothing/here", 0) })
	if err := LoadTrustedSetup(nil, nil, nil, 0); err != ErrBadArgs {
		t.Fatal(err)
	}
	if err := LoadTrustedSetup(make([]byte, 7), make([]byte, 1), nil, 99); err != ErrBadArgs {
		t.Fatal(err)
	}
	loadFile(t, 0)
	panics(t, "loaded twice", func() { LoadTrustedSetup(nil, nil, nil, 0) })
	if _, err := BlobToKZGCommitment(blob(1)); err != nil {
		t.Fatal(err)
	}
}

func TestBadInputsAreErrors(t *testing.T) {
	loadFile(t, 0)
	large := new(Blob)
	for i := range large[:BytesPerFieldElement] {
		large[i] = 0xff
	}
	_, commitmentOfNil := BlobToKZGCommitment(nil)
	_, commitment := BlobToKZGCommitment(large)
	_, _, opening := ComputeKZGProof(nil, Bytes32{})
	_, proof := ComputeBlobKZGProof(blob(1), Bytes48{})
	_, point := VerifyKZGProof(Bytes48{}, Bytes32{}, Bytes32{}, Bytes48{})
	_, verified := VerifyBlobKZGProof(nil, Bytes48{}, Bytes48{})
	_, batch := VerifyBlobKZGProofBatch(make([]Blob, 2), make([]Bytes48, 1), make([]Bytes48, 2))
	_, cells := ComputeCells(nil)
	_, _, both := ComputeCellsAndKZGProofs(nil)
	_, few := RecoverCells([]uint64{1}, make([]Cell, 1))
	_, _, lengths := RecoverCellsAndKZGProofs([]uint64{1, 2}, make([]Cell, 1))
	_, index := VerifyCellKZGProofBatch(make([]Bytes48, 1), []uint64{128}, make([]Cell, 1), make([]Bytes48, 1))
	for i, err := range []error{commitmentOfNil, commitment, opening, proof, point, verified, batch, cells, both, few, lengths, index} {
		if err != ErrBadArgs {
			t.Errorf("error %d: %v", i, err)
		}
	}
	if ok, err := VerifyBlobKZGProofBatch(nil, nil, nil); !ok || err != nil {
		t.Errorf("no blobs: %v %v", ok, err)
	}
	if ok, err := VerifyCellKZGProofBatch(nil, nil, nil, nil); !ok || err != nil {
		t.Errorf("no cells: %v %v", ok, err)
	}
	for _, text := range []string{"", "0x", "zz", "0x12345"} {
		if new(Bytes32).UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is no field element", text)
		}
	}
}

func TestGoroutinesShareTheSetup(t *testing.T) {
	loadFile(t, 1)
	var group sync.WaitGroup
	for seed := byte(0); seed < 4; seed++ {
		group.Add(1)
		go func() {
			defer group.Done()
			blob := blob(seed)
			commitment, err := BlobToKZGCommitment(blob)
			if err != nil {
				t.Error(err)
			}
			proof, err := ComputeBlobKZGProof(blob, Bytes48(commitment))
			if err != nil {
				t.Error(err)
			}
			for _, wrong := range []byte{0, 1} {
				blob[BytesPerBlob-1] ^= wrong
				ok, err := VerifyBlobKZGProof(blob, Bytes48(commitment), Bytes48(proof))
				if ok != (wrong == 0) || err != nil {
					t.Errorf("blob %d, changed %d: %v %v", seed, wrong, ok, err)
				}
			}
		}()
	}
	group.Wait()
}
