package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// HashFile is the SHA-256 of a file, in hexadecimal. The error is ctx's or a
// *FileError.
func HashFile(ctx context.Context, path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", readError(path, err)
	}
	defer file.Close()
	sum := sha256.New()
	block := make([]byte, 1<<20)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := file.Read(block)
		sum.Write(block[:n])
		if err == io.EOF {
			return hex.EncodeToString(sum.Sum(nil)), nil
		}
		if err != nil {
			return "", readError(path, err)
		}
	}
}
