// Package codec compresses and decompresses the pages and blocks of data files.
//
// Used by format/parquet, format/avro and what writes manifests; uses the
// compression libraries and corrupt.
//
// Rules:
//
//  1. A Pool keeps coders for reuse and is safe from many goroutines. Whoever
//     makes readers or writers owns one and hands it down.
//  2. Decompress never makes more than it was asked for: the size is known
//     (Parquet) or bounded (Avro), and MaxRatio says what a codec can reach.
//  3. Zstd frames carry their content size and no checksum; the encoder runs on
//     the caller's goroutine. Levels up to 5 are the fastest one.
//  4. Paimon's lz4 is Parquet's old codec number 5: LZ4 blocks in Hadoop frames,
//     each an int32 BE raw length, an int32 BE block length and the block.
package codec
