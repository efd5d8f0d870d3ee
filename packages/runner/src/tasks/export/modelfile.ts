// Writes the Modelfile with which `ollama create NAME -f Modelfile` makes a model of the GGUF file in the same folder. Source of
// the instructions: docs/modelfile.md of ollama/ollama.
import { readGenerationFields } from '@bowyer/checkpoints';
import { openAdapterDirectory } from '@bowyer/models';
import { loadTokenizer } from '@bowyer/text';
import { ollamaTemplate, writesTools } from './ollama-template.js';

/** For settings in generation_config.json, the names that Ollama gives to them. */
const PARAMETERS = {
  temperature: 'temperature',
  top_k: 'top_k',
  top_p: 'top_p',
  min_p: 'min_p',
  repetition_penalty: 'repeat_penalty',
};

/** The note for the user if the model's own chat template writes tools, but its template for Ollama cannot. */
const NO_TOOLS =
  'the model was made for tools, and its TEMPLATE for Ollama has none: Ollama refuses requests with tools for it. ' +
  'llama-server --jinja reads the template of the GGUF file, which has them';

/** The note for the user if the model's template for Ollama writes tools. */
const TOOLS =
  'Ollama writes the schemas of tools and the arguments of earlier calls as JSON without spaces and with the keys in an order of its ' +
  'own, where the model was trained on those of its own template';

/**
 * @param model the folder of the model from which the GGUF file was written
 * @returns the text, and notes on how Ollama's prompts differ from the model's
 */
export async function modelfile(
  model: string,
  { file, isAdapter }: { file: string; isAdapter: boolean },
): Promise<{ text: string; notes: string[] }> {
  const { baseDir } = await openAdapterDirectory(model);
  const { json } = await readGenerationFields(baseDir);
  const tokenizer = await loadTokenizer(baseDir, { templatesOf: model });
  const source = isAdapter
    ? [
        `# The base model, exported as GGUF too, must be in the same folder as this file: ${baseDir}`,
        'FROM ./base.gguf',
        `ADAPTER ./${file}`,
      ]
    : [`FROM ./${file}`];
  const settings = Object.entries(PARAMETERS).flatMap(([field, name]) =>
    typeof json[field] === 'number' ? [`PARAMETER ${name} ${json[field]}`] : [],
  );
  const ends = [json.eos_token_id].flat().filter((id): id is number => typeof id === 'number');
  const stops = ends.map(
    (id) => `PARAMETER stop ${JSON.stringify(tokenizer.decode([id], { keepSpecialTokens: true }))}`,
  );
  const template = ollamaTemplate(tokenizer);
  const notes = template.hasTools ? [TOOLS] : writesTools(tokenizer) ? [NO_TOOLS] : [];
  const comments = notes.map((note) => `# ${note.replace('. ', '.\n# ')}`);
  const lines = [...source, ...comments, ...template.lines, ...settings, ...stops];
  return { text: `${lines.join('\n')}\n`, notes };
}
