// Post-processors of tokenizer.json for one sequence: the tokens that are put around a text's.
import { DefinitionError, parts, unknownType, type Component } from './definition.js';

export type PostProcessor = (ids: number[]) => number[];

const identity: PostProcessor = (ids) => ids;

/** By type. */
const factories: Record<string, (component: Component) => PostProcessor> = {
  Sequence: (component) => {
    const all = parts(component, 'processors').map(postProcessor);
    return (ids) => all.reduce((result, each) => each(result), ids);
  },
  ByteLevel: () => identity, // it concerns offsets
  BertProcessing: around,
  RobertaProcessing: around,
  TemplateProcessing: template,
};

/**
 * Makes a post-processor.
 *
 * @throws {DefinitionError} of a type that is not known
 */
export function postProcessor(component: Component | null | undefined): PostProcessor {
  if (component === null || component === undefined) return identity;
  if (!Object.hasOwn(factories, component.type)) throw unknownType('post-processor', component);
  return factories[component.type](component);
}

function around({ type, cls, sep }: Component): PostProcessor {
  const [first, last] = [cls, sep].map((pair) => (Array.isArray(pair) ? (pair as unknown[])[1] : null));
  if (typeof first !== 'number' || typeof last !== 'number')
    throw new DefinitionError(`${type} needs 'cls' and 'sep', each a token and its id`);
  return (ids) => [first, ...ids, last];
}

interface TemplatePiece {
  SpecialToken?: { id: string };
  Sequence?: { id: string };
}

/** Makes a template, whose table of special tokens gives the ids, whatever the vocabulary says. */
function template(component: Component): PostProcessor {
  const special = (component.special_tokens ?? {}) as Record<string, { ids?: readonly number[] }>;
  const pieces = (parts(component, 'single') as TemplatePiece[]).map(({ SpecialToken: token, Sequence: sequence }) => {
    if (sequence !== undefined) return null; // the text itself
    const ids = special[token?.id ?? '']?.ids;
    if (ids === undefined) throw new DefinitionError(`TemplateProcessing has no ids for ${JSON.stringify(token?.id)}`);
    return ids;
  });
  return (ids) => {
    const result: number[] = [];
    for (const piece of pieces) for (const id of piece ?? ids) result.push(id);
    return result;
  };
}
