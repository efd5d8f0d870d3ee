/** Transposes a matrix, [rows, columns] → [columns, rows], in blocks that fit into the CPU's cache. */
export function transpose(data: Float32Array, [rows, columns]: readonly number[]): Float32Array<ArrayBuffer> {
  const result = new Float32Array(data.length);
  const block = 32;
  for (let r0 = 0; r0 < rows; r0 += block) {
    for (let c0 = 0; c0 < columns; c0 += block) {
      const [rEnd, cEnd] = [Math.min(r0 + block, rows), Math.min(c0 + block, columns)];
      for (let r = r0; r < rEnd; r++) for (let c = c0; c < cEnd; c++) result[c * rows + r] = data[r * columns + c];
    }
  }
  return result;
}
