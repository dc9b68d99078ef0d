// The sum of a file's bytes, as a candidate for the workload `sum`.
package main

import (
	"encoding/binary"
	"os"

	"sum/parlab"
)

func work(data []byte) uint64 {
	var total uint64
	for _, b := range data {
		total += uint64(b)
	}
	return total
}

func main() {
	parlab.Run("go", "sum",
		func(w parlab.Work) ([]byte, error) { return os.ReadFile(w.Input) }, work,
		func(total uint64) []byte { return binary.LittleEndian.AppendUint64(nil, total) })
}
