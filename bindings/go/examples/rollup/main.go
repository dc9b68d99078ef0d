// Rollup splits a file into blobs, as a rollup does to post its data, and verifies them as a node does: the versioned
// hashes of the transaction, then all blobs at once.
//
//	go run ./examples/rollup FILE
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ethereum/c-kzg-4844/v2/batch"
	. "github.com/ethereum/c-kzg-4844/v2/types"
)

// split returns data as blobs of 31 bytes for each field element, so that all are below the modulus.
func split(data []byte) []Blob {
	var blobs []Blob
	for at := 0; len(data) > 0; at = (at + 1) % FieldElementsPerBlob {
		if at == 0 {
			blobs = append(blobs, Blob{})
		}
		element := blobs[len(blobs)-1][at*BytesPerFieldElement:][:BytesPerFieldElement]
		data = data[copy(element[1:], data):]
	}
	return blobs
}

// versionedHash returns the hash of a commitment that stands in a transaction (EIP-4844).
func versionedHash(commitment Bytes48) [32]byte {
	hash := sha256.Sum256(commitment[:])
	hash[0] = 1
	return hash
}

// verify returns whether blobs are those of a transaction.
func verify(context *batch.Context, hashes [][32]byte, blobs []Blob, commitments, proofs []Bytes48) (bool, error) {
	if len(hashes) != len(commitments) {
		return false, nil
	}
	for i, commitment := range commitments {
		if versionedHash(commitment) != hashes[i] {
			return false, nil
		}
	}
	return context.VerifyBlobs(blobs, commitments, proofs)
}

func run(data []byte, out io.Writer) error {
	context, err := batch.New(batch.Options{TablesMiB: 34})
	if err != nil {
		return err
	}
	defer context.Close()
	blobs, begun := split(data), time.Now()
	commitments, proofs, hashes := make([]Bytes48, len(blobs)), make([]Bytes48, len(blobs)), make([][32]byte, len(blobs))
	committed, errs := context.Commitments(blobs)
	if errs != nil {
		return fmt.Errorf("commitments: %v", errs)
	}
	for i, commitment := range committed {
		commitments[i], hashes[i] = Bytes48(commitment), versionedHash(Bytes48(commitment))
	}
	proven, errs, err := context.BlobProofs(blobs, commitments)
	if err != nil || errs != nil {
		return fmt.Errorf("proofs: %v %v", err, errs)
	}
	for i, proof := range proven {
		proofs[i] = Bytes48(proof)
	}
	fmt.Fprintf(out, "%d blobs, proven on %d threads in %v\n", len(blobs), context.Threads(), time.Since(begun).Round(time.Microsecond))
	for i, hash := range hashes {
		fmt.Fprintf(out, "blob %d: %x\n", i, hash)
	}
	begun = time.Now()
	ok, err := verify(context, hashes, blobs, commitments, proofs)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "verified: %v, in %v\n", ok, time.Since(begun).Round(time.Microsecond))
	if len(blobs) > 0 {
		blobs[0][1] ^= 1
		if ok, err = verify(context, hashes, blobs, commitments, proofs); err != nil {
			return err
		}
		fmt.Fprintf(out, "verified after a changed bit: %v\n", ok)
	}
	return nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: rollup FILE")
		os.Exit(2)
	}
	data, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = run(data, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rollup:", err)
		os.Exit(2)
	}
}
