package ckzg4844

import (
	"encoding/hex"
	"os"
	"strings"
	"sync"
	"testing"
)

// The tests of c-kzg-4844 compare results with the official vectors (scripts/test-bindings go); these are about what is different
// in this binding: locks, pointers and lengths.

// The texts are those of the original.
const (
	already   = "trusted setup is already loaded"
	notLoaded = "trusted setup isn't loaded"
	unread    = "error reading trusted setup"
)

func panics(t *testing.T, why string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if said := recover(); said != why {
			t.Fatalf("it panics with %v, not with %q", said, why)
		}
	}()
	f()
}

func setupFile(t *testing.T) string {
	t.Helper()
	path := os.Getenv("PARCRYPT_TRUSTED_SETUP")
	if path == "" {
		t.Skip("SKIP go trusted-setup PARCRYPT_TRUSTED_SETUP names no file")
	}
	return path
}

func loadFile(t *testing.T, precompute uint) {
	t.Helper()
	if err := LoadTrustedSetupFile(setupFile(t), precompute); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(FreeTrustedSetup)
}

// setupBytes returns the points of the file: two numbers, then a point a line.
func setupBytes(t *testing.T) (g1Monomial, g1Lagrange, g2Monomial []byte) {
	t.Helper()
	text, err := os.ReadFile(setupFile(t))
	if err != nil {
		t.Fatal(err)
	}
	points, err := hex.DecodeString(strings.Join(strings.Fields(string(text))[2:], ""))
	if err != nil || len(points) != 2*4096*48+65*96 {
		t.Fatal(len(points), err)
	}
	g1Lagrange, points = points[:4096*48], points[4096*48:]
	g2Monomial, g1Monomial = points[:65*96], points[65*96:]
	return
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
	panics(t, notLoaded, func() { BlobToKZGCommitment(blob(1)) })
	panics(t, notLoaded, func() { VerifyBlobKZGProofBatch(make([]Blob, 1), nil, nil) })
	panics(t, notLoaded, FreeTrustedSetup)
	panics(t, unread, func() { LoadTrustedSetupFile("/nothing/here", 0) })
	if err := LoadTrustedSetup(nil, nil, nil, 0); err != ErrBadArgs {
		t.Fatal(err)
	}
	if err := LoadTrustedSetup(make([]byte, 7), make([]byte, 1), nil, 99); err != ErrBadArgs {
		t.Fatal(err)
	}
	loadFile(t, 0)
	panics(t, already, func() { LoadTrustedSetup(nil, nil, nil, 0) })
	panics(t, already, func() { LoadTrustedSetupFile("/nothing/here", 0) })
	if _, err := BlobToKZGCommitment(blob(1)); err != nil {
		t.Fatal(err)
	}
}

func TestSetupsOfBytesAreThoseOfFiles(t *testing.T) {
	g1Monomial, g1Lagrange, g2Monomial := setupBytes(t)
	if LoadTrustedSetup(g1Lagrange, g1Monomial, g2Monomial, 0) == nil {
		t.Fatal("points of G1 in the place of others were loaded")
	}
	if err := LoadTrustedSetup(g1Monomial, g1Lagrange, g2Monomial, 16); err != ErrBadArgs {
		t.Fatal(err)
	}
	var cells [2][CellsPerExtBlob]Cell
	var proofs [2][CellsPerExtBlob]KZGProof
	var commitments [2]KZGCommitment
	compute := func(i int) {
		var err error
		if cells[i], proofs[i], err = ComputeCellsAndKZGProofs(blob(1)); err != nil {
			t.Fatal(err)
		}
		if commitments[i], err = BlobToKZGCommitment(blob(1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := LoadTrustedSetup(g1Monomial, g1Lagrange, g2Monomial, 0); err != nil {
		t.Fatal(err)
	}
	compute(0)
	FreeTrustedSetup()
	loadFile(t, 0)
	compute(1)
	if cells[0] != cells[1] || proofs[0] != proofs[1] || commitments[0] != commitments[1] {
		t.Fatal("the results differ")
	}
}

// With the race detector: the setup is freed and loaded while others use it.
func TestSetupsAreFreedWhileOthersCompute(t *testing.T) {
	g1Monomial, g1Lagrange, g2Monomial := setupBytes(t)
	load := func() {
		if err := LoadTrustedSetup(g1Monomial, g1Lagrange, g2Monomial, 0); err != nil {
			t.Error(err)
		}
	}
	load()
	t.Cleanup(FreeTrustedSetup)
	expected, err := BlobToKZGCommitment(blob(1))
	if err != nil {
		t.Fatal(err)
	}
	// commitment computes it where a setup is loaded.
	commitment := func() {
		defer func() {
			if said := recover(); said != nil && said != notLoaded {
				t.Error(said)
			}
		}()
		if found, err := BlobToKZGCommitment(blob(1)); found != expected || err != nil {
			t.Error("another commitment", err)
		}
	}
	var group sync.WaitGroup
	done := make(chan struct{})
	for i := 0; i < 3; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				select {
				case <-done:
					return
				default:
					commitment()
				}
			}
		}()
	}
	for i := 0; i < 3; i++ {
		FreeTrustedSetup()
		load()
		commitment()
	}
	close(done)
	group.Wait()
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
