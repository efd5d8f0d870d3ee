// Makes post-processors, which add special tokens before and after a text's tokens. Pairs of texts are not supported.
import { DefinitionError, parts, unknownType, type Component } from './definition.js';

export type PostProcessor = (ids: number[]) => number[];

const identity: PostProcessor = (ids) => ids;

const factories: Record<string, (component: Component) => PostProcessor> = {
  Sequence: (component) => {
    const all = parts(component, 'processors').map(postProcessor);
    return (ids) => all.reduce((result, each) => each(result), ids);
  },
  ByteLevel: () => identity, // it changes only the offsets of tokens, which are not used here
  BertProcessing: around,
  RobertaProcessing: around,
  TemplateProcessing: template,
};

/** Without a component, nothing is added. @throws {DefinitionError} for an unknown type */
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

/** The ids of special tokens are those of its own table, even if the vocabulary has other ids. */
function template(component: Component): PostProcessor {
  const special = (component.special_tokens ?? {}) as Record<string, { ids?: readonly number[] }>;
  const pieces = (parts(component, 'single') as TemplatePiece[]).map(({ SpecialToken: token, Sequence: sequence }) => {
    if (sequence !== undefined) return null; // the place of the text's own tokens
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
