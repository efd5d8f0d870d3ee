export async function finetune(): Promise<void> {
  throw new Error('being written');
}
