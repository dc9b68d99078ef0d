export type Bytes32 = Uint8Array; // 32 bytes
export type Bytes48 = Uint8Array; // 48 bytes
export type KZGProof = Uint8Array; // 48 bytes
export type KZGCommitment = Uint8Array; // 48 bytes
export type Blob = Uint8Array; // 4096 * 32 bytes
export type Cell = Uint8Array; // 64 * 32 bytes
/** A proof and the value that it proves. */
export type ProofResult = [KZGProof, Bytes32];

export const BYTES_PER_BLOB: number;
export const BYTES_PER_COMMITMENT: number;
export const BYTES_PER_FIELD_ELEMENT: number;
export const BYTES_PER_PROOF: number;
export const BYTES_PER_CELL: number;
export const FIELD_ELEMENTS_PER_BLOB: number;
export const FIELD_ELEMENTS_PER_CELL: number;
export const CELLS_PER_EXT_BLOB: number;

// Functions throw a TypeError for an argument of another type or length, and an Error for one that is no field element or no point. Each
// has an asynchronous form, which computes on a thread of Node.js's pool; arguments are copied before it returns.

/** Loads a trusted setup from a file of text or JSON, by default mainnet's, which needs no file. `precompute`, from 0 to 15, bounds the
 * memory of tables (docs/explanation/kzg.md#tables). */
export function loadTrustedSetup(precompute: number, filePath?: string): void;
export function loadTrustedSetupAsync(precompute: number, filePath?: string): Promise<void>;

/** Returns the commitment to a blob. */
export function blobToKzgCommitment(blob: Blob): KZGCommitment;
export function blobToKzgCommitmentAsync(blob: Blob): Promise<KZGCommitment>;

/** Returns the proof of the value of a blob's polynomial at z, and the value. */
export function computeKzgProof(blob: Blob, zBytes: Bytes32): ProofResult;
export function computeKzgProofAsync(blob: Blob, zBytes: Bytes32): Promise<ProofResult>;

/** Returns the proof that a commitment is the commitment to a blob. */
export function computeBlobKzgProof(blob: Blob, commitmentBytes: Bytes48): KZGProof;
export function computeBlobKzgProofAsync(blob: Blob, commitmentBytes: Bytes48): Promise<KZGProof>;

/** Returns whether the polynomial of a commitment has the value y at z. */
export function verifyKzgProof(commitmentBytes: Bytes48, zBytes: Bytes32, yBytes: Bytes32, proofBytes: Bytes48): boolean;
export function verifyKzgProofAsync(commitmentBytes: Bytes48, zBytes: Bytes32, yBytes: Bytes32, proofBytes: Bytes48): Promise<boolean>;

/** Returns whether a commitment is the commitment to a blob. */
export function verifyBlobKzgProof(blob: Blob, commitmentBytes: Bytes48, proofBytes: Bytes48): boolean;
export function verifyBlobKzgProofAsync(blob: Blob, commitmentBytes: Bytes48, proofBytes: Bytes48): Promise<boolean>;

/** Returns whether all commitments are the commitments to their blobs; true for none. */
export function verifyBlobKzgProofBatch(blobs: Blob[], commitmentsBytes: Bytes48[], proofsBytes: Bytes48[]): boolean;
export function verifyBlobKzgProofBatchAsync(blobs: Blob[], commitmentsBytes: Bytes48[], proofsBytes: Bytes48[]): Promise<boolean>;

/** Returns the 128 cells of a blob and its extension. */
export function computeCells(blob: Blob): Cell[];
export function computeCellsAsync(blob: Blob): Promise<Cell[]>;

/** Returns the 128 cells of a blob and its extension, and the proof of each. */
export function computeCellsAndKzgProofs(blob: Blob): [Cell[], KZGProof[]];
export function computeCellsAndKzgProofsAsync(blob: Blob): Promise<[Cell[], KZGProof[]]>;

/** Returns all 128 cells and their proofs from at least 64 cells with rising indices. */
export function recoverCellsAndKzgProofs(cellIndices: number[], cells: Cell[]): [Cell[], KZGProof[]];
export function recoverCellsAndKzgProofsAsync(cellIndices: number[], cells: Cell[]): Promise<[Cell[], KZGProof[]]>;

/** Returns whether each cell belongs to its commitment at its index. */
export function verifyCellKzgProofBatch(
  commitmentsBytes: Bytes48[],
  cellIndices: number[],
  cells: Cell[],
  proofsBytes: Bytes48[]
): boolean;
export function verifyCellKzgProofBatchAsync(
  commitmentsBytes: Bytes48[],
  cellIndices: number[],
  cells: Cell[],
  proofsBytes: Bytes48[]
): Promise<boolean>;
