// Opens the model in a GGUF file as if it were a Hugging Face model: its config, its tokenizer, and its parameters, which are
// read on demand.
import { GgufFile, type CheckpointReader, type ConfigJson } from '@bowyer/checkpoints';
import type { Tokenizer } from '@bowyer/text';
import { architectureFor } from '../../language-model/architectures.js';
import { ggufConfig } from './gguf-config.js';
import { GgufMetadata } from './gguf-metadata.js';
import { ggufTokenizer } from './gguf-tokenizer.js';
import { ggufWeights } from './gguf-weights.js';

export interface GgufModel {
  config: ConfigJson;
  source: CheckpointReader;
  /** Creates the tokenizer. @throws Error if the file's tokenizer is of a kind that is not supported */
  tokenizer(): Tokenizer;
}

/** Opens the model in a GGUF file. Closing the model's `source` closes the file. */
export async function openGgufModel(path: string): Promise<GgufModel> {
  const file = await GgufFile.open(path);
  try {
    const metadata = await GgufMetadata.of(file);
    const { config, family } = ggufConfig(metadata);
    const architecture = architectureFor(config, path);
    const source = ggufWeights(file, family, architecture, (problem, remedy) => metadata.fail(problem, remedy));
    return { config, source, tokenizer: () => ggufTokenizer(metadata) };
  } catch (error) {
    await file.close();
    throw error;
  }
}
