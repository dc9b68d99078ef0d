/** Lists of compressed points, as hexadecimal digits without a prefix. */
export type TrustedSetup = { g1_monomial: string; g1_lagrange: string; g2_monomial: string };
/** All 128 cells of a blob and their proofs. */
export type KZGProofWithCells = { proofs: string[]; cells: string[] };

/** The functions of KZG. Bytes are hexadecimal strings with the prefix 0x. What computes throws an error for invalid input; what
 * verifies returns false. */
export type KZG = {
  loadTrustedSetup(precompute?: number, trustedSetup?: TrustedSetup): number;
  freeTrustedSetup(): void;
  blobToKZGCommitment(blob: string): string;
  computeBlobKZGProof(blob: string, commitment: string): string;
  verifyBlobKZGProof(blob: string, commitment: string, proof: string): boolean;
  verifyBlobKZGProofBatch(blobs: string[], commitments: string[], proofs: string[]): boolean;
  verifyKZGProof(commitment: string, z: string, y: string, proof: string): boolean;
  computeCellsAndKZGProofs(blob: string): KZGProofWithCells;
  recoverCellsFromKZGProofs(cellIndices: number[], cells: string[], numCells: number): KZGProofWithCells;
  verifyCellKZGProof(commitment: string, cells: string[], proofs: string[]): boolean;
  verifyCellKZGProofBatch(commitments: string[], cellIndices: number[], cells: string[], proofs: string[], numCells: number): boolean;
  verifyCellKzgProofBatch(commitments: string[], cellIndices: number[], cells: string[], proofs: string[]): boolean;
  recoverCellsAndProofs(indices: number[], cells: string[]): [string[], string[]];
  computeCells(blob: string): string[];
  computeCellsAndProofs(blob: string): [string[], string[]];
  verifyBlobProofBatch: KZG['verifyBlobKZGProofBatch'];
  computeBlobProof: KZG['computeBlobKZGProof'];
  blobToKzgCommitment: KZG['blobToKZGCommitment'];
  verifyProof: KZG['verifyKZGProof'];
};

/** Returns the functions with a trusted setup, by default mainnet's. `precompute` is accepted and has no effect. */
export function loadKZG(precompute?: number, trustedSetup?: TrustedSetup): Promise<KZG>;
