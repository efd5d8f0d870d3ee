// Normalises yes/no questions in free text, so that wordings with the same meaning are equal: "can it be eaten?", "is it
// something you can eat?" and "do people eat it?" all become "you eat".

export interface QuestionForm {
  /**
   * The predicate of the question: 'be' (is it …), 'have' (does it have …), 'it' (does it …), 'you' (do you … it),
   * 'used' (is it used to …), 'in' (is it found …), 'made' (is it made of …), 'raw' (anything else).
   */
  frame: 'be' | 'have' | 'it' | 'you' | 'used' | 'in' | 'made' | 'raw';
  /** The words after the part that determines `frame`, without articles and not yet stemmed. */
  words: readonly string[];
  /** Whether an article preceded these words: "is it an orange?" is a guess, "is it orange?" asks for the colour. */
  hasArticle: boolean;
  /** Whether the question is negated: "is it not …". */
  negated: boolean;
}

/** Returns a key that wordings with the same meaning share, as far as rules on the words can recognise it. */
export const formKey = ({ frame, words }: Pick<QuestionForm, 'frame' | 'words'>) =>
  `${frame} ${words.map(stem).join(' ')}`.trim();

const subjects =
  '(?:it|this|that|they|these|those|he|she|(?:the|your|this|that|my) (?:secret )?(?:object|thing|item|word|answer|secret|one)(?: you are thinking of)?)';
const agents =
  '(?:you|we|i|one|people|most people|someone|somebody|anyone|humans|a person|a human|the average person|everyone|many people)';
const modals = '(?:can|could|would|will|might|may|should|must|shall)';

const fillers =
  /^(?:(?:so|ok|okay|hmm|hm|well|then|and|but|now|oh|ah|alright|great|um|let me see|let me guess|let me think|i guess|i think|tell me|please tell me|my guess is|my question is|final guess|guess|question(?: \d+)?|q\d*|\d+) )+/;
const adverbs =
  / (?:usually|typically|generally|commonly|often|normally|primarily|mainly|mostly|actually|really|maybe|perhaps|possibly|probably|considered|also|just|ever|ordinarily|traditionally|regularly|frequently|specifically|in general|by any chance|please|most commonly|largely|known as|classified as|categorized as|thought of as|referred to as|considered to be|designed|intended|meant|right|correct)(?= |$)/g;
const kinds =
  / (?:(?:a|an|some|any|the|one) )?(?:kind|kinds|type|types|sort|sorts|form|forms|category|species|variety|piece|item|article|example) of(?= )/g;
const somethings =
  '(?:something|anything|one of those things|(?:(?:a|an|some|the) )?(?:object|objects|thing|things|item|items|device|product|stuff|one|tool|material))';

/** Parses a question; null if it is not a yes/no question about the object: "what …", "is it a or b", an empty text. */
export function questionForm(question: string): QuestionForm | null {
  const text = clean(question);
  if (text === '' || /^(?:what|which|who|whose|where|when|why|how)\b/.test(text)) return null;
  if (/ or /.test(` ${text} `)) return null;
  const negated = / not /.test(text) || / (?:non|in)animate/.test(text);
  const { frame, rest } = frameOf(
    text
      .replace(/ not (?=.)/, ' ')
      .replace(/ inanimate/, ' animate')
      .trim(),
  );
  const words = rest.split(' ').filter((word) => word !== '' && !articles.has(word));
  return words.length === 0 ? null : { frame, words, hasArticle: /^(?:an?|the) /.test(rest), negated };
}

const articles = new Set('a an the your my our his her its their some any it them this these very'.split(' '));

function clean(question: string): string {
  let text = question
    .toLowerCase()
    .replace(/[’‘`]/g, "'")
    // A contraction at the beginning, as in "isn't it alive?", only asks for confirmation: it means "is it alive?".
    .replace(/^(\W*)(is|are|does|do|can|could|would|was|has|did|will)n'?t\b/, '$1$2')
    .replace(/\bcan't\b|\bcannot\b/g, 'can not')
    .replace(/n't\b/g, ' not')
    .replace(/\bit's\b/g, 'it is')
    .replace(/'s\b/g, 's')
    .replace(/colour/g, 'color')
    .replace(/jewellery/g, 'jewelry')
    .replace(/non-?(?=[a-z])/g, 'not ')
    .replace(/[^a-z0-9 ]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim();
  text = text.replace(fillers, '');
  text = ` ${text}`
    .replace(adverbs, '')
    .replace(adverbs, '')
    .replace(kinds, '')
    .replace(/ pair of(?= )/g, '');
  return text.replace(/ +/g, ' ').trim();
}

interface Framed {
  frame: QuestionForm['frame'];
  rest: string;
}

/** The rules for the beginning of a question: the first pattern that matches the whole text is used, on its first group. */
const openings: readonly [RegExp, (rest: string) => Framed][] = [
  [new RegExp(`^(?:is|are|was|were) there (.+?) (?:on|in|inside) ${subjects}$`), have],
  [new RegExp(`^(?:is|are|was|were) ${subjects} (.+)$`), be],
  [new RegExp(`^(?:${subjects}|(?:i think |i guess )${subjects}) (?:is|are) (.+)$`), be],
  [new RegExp(`^${modals} ${subjects} be (.+)$`), be],
  [new RegExp(`^(?:does|do|did|${modals}) ${subjects} have (.+)$`), have],
  [new RegExp(`^(?:has|have|had) ${subjects} (?:got )?(.+)$`), have],
  [new RegExp(`^(?:does|do|did|${modals}) ${subjects} (.+)$`), it],
  [new RegExp(`^(?:do|does|did|${modals}) ${agents} (.+)$`), you],
  [new RegExp(`^(?:do|does|${modals}) (.+) use ${subjects}$`), (rest) => ({ frame: 'used', rest: `by ${rest}` })],
  [/^(?:a|an|the) (.+)$/, be],
];

function frameOf(text: string): Framed {
  for (const [pattern, next] of openings) {
    const match = pattern.exec(text);
    if (match) return next(match[1]);
  }
  return { frame: 'raw', rest: text };
}

function have(rest: string): Framed {
  return { frame: 'have', rest: rest.replace(/ (?:on|in|inside) it$/, '') };
}

function it(rest: string): Framed {
  const belongs = /^(?:belong|go|live|stay|reside) (?:in|inside|within) (.+)$/.exec(rest);
  if (belongs) return { frame: 'in', rest: belongs[1] };
  const able = /^be able to (.+)$/.exec(rest);
  return { frame: 'it', rest: withoutThings(able ? able[1] : rest) };
}

/** Parses the words after "you" and removes the object "it": "you eat", "you sit on", "you wear on head". */
function you(rest: string): Framed {
  const verb = ` ${rest} `
    .replace(/ (?:it|this|them|these|this object|this thing|that) /g, ' ')
    .replace(/ +/g, ' ')
    .trim();
  const use = /^(?:use|be using) (?:to|for) (.+)$/.exec(verb);
  if (use) return used(use[1]);
  const useElsewhere = /^(?:use|be using) (.+)$/.exec(verb);
  if (useElsewhere) return used(useElsewhere[1]);
  const withIt = /^(.+) (?:with|using)$/.exec(verb);
  if (withIt) return used(withIt[1]);
  const place = /^(?:usually )?(?:find|see|keep|store|encounter|come across|expect to find|expect to see) (.+)$/.exec(
    verb,
  );
  if (place) return inside(place[1]);
  return { frame: 'you', rest: withoutThings(verb) };
}

function used(rest: string): Framed {
  return { frame: 'used', rest: withoutThings(rest.replace(/^(?:to|for) /, '').replace(/ with$/, '')) };
}

function inside(rest: string): Framed {
  return { frame: 'in', rest: rest.replace(/^(?:in|inside|within|around|at) (?=.)/, '') };
}

/** Parses the words after "is it": a relative clause, a purpose, a place, a material, a passive verb, or a plain predicate. */
function be(rest: string): Framed {
  const clause = new RegExp(`^${somethings} (?:that |which )?(.+)$`).exec(rest);
  if (clause) {
    const inner = relativeClause(clause[1], /^\S+ (?:\S+ )?(?:that|which) /.test(`${rest} `));
    if (inner) return inner;
  }
  const purpose = /^(?:used|useful|utilized|made|built|needed|required) (?:to|for) (.+)$/.exec(rest);
  if (purpose) return used(purpose[1]);
  const usedElsewhere = /^(?:used|utilized) (.+)$/.exec(rest);
  if (usedElsewhere) return used(usedElsewhere[1]);
  const place = /^(?:found|kept|seen|located|stored|placed|in|inside|located|sold|available) (.+)$/.exec(rest);
  if (place && !/^(?:in|inside) color/.test(rest)) return inside(/^(?:in|inside) /.test(rest) ? rest : place[1]);
  const material = /^made (?:up )?(?:out of|of|from|with|out from|entirely of|up of) (.+)$/.exec(rest);
  if (material) return { frame: 'made', rest: material[1] };
  const able = /^able to (.+)$/.exec(rest);
  if (able) return it(able[1]);
  const [first, ...others] = rest.split(' ');
  const verb = passives[first];
  if (verb) return you([verb, ...others].join(' ').replace(new RegExp(` by ${agents}$`), ''));
  return { frame: 'be', rest: rest.replace(/^(?:like|being) /, '').replace(/(?<=\S) (?:object|thing|item)s?$/, '') };
}

/** Parses the words after "something (that)": "you can eat", "can fly", "has wheels", "is worn", "used to cut", "alive". */
function relativeClause(clause: string, hasRelativePronoun: boolean): Framed | null {
  const agent = new RegExp(`^${agents} (?:(?:${modals}|do|did) )?(.+)$`).exec(clause);
  if (agent) return you(agent[1]);
  const copula = new RegExp(`^(?:is|are|${modals} be) (.+)$`).exec(clause);
  if (copula) return be(copula[1]);
  const owns = new RegExp(`^(?:has|have|with|${modals} have|having) (.+)$`).exec(clause);
  if (owns) return have(owns[1]);
  const modal = new RegExp(`^(?:${modals}|does|do) (.+)$`).exec(clause);
  if (modal) return it(modal[1]);
  if (hasRelativePronoun) return it(clause);
  if (/^(?:used|useful|found|kept|seen|made|worn|eaten|located|in) /.test(clause)) return be(clause);
  return clause === '' ? null : be(clause);
}

const passives: Record<string, string> = Object.fromEntries(
  (
    'eaten:eat worn:wear played:play ridden:ride driven:drive held:hold carried:carry thrown:throw kicked:kick hit:hit ' +
    'drunk:drink cooked:cook peeled:peel opened:open hung:hang cut:cut read:read picked:pick flown:fly sharpened:sharpen ' +
    'charged:charge plugged:plug inflated:inflate solved:solve plucked:pluck strummed:strum milked:milk climbed:climb ' +
    'watched:watch lifted:lift sat:sit slept:sleep written:write put:put squeezed:squeeze erased:erase caught:catch ' +
    'consumed:eat kicked:kick bounced:bounce typed:type blown:blow assembled:assemble'
  )
    .split(' ')
    .map((pair) => pair.split(':')),
);

/** Removes objects without meaning: "cut things" and "cut something" become "cut". */
const withoutThings = (text: string) =>
  text.replace(/(?<=\S) (?:something|things|stuff|objects|other things|(?:your |the )?own)$/g, '');

const irregular: Record<string, string> = Object.fromEntries(
  (
    'worn:wear wearing:wear eaten:eat feet:foot teeth:tooth children:child kids:child kid:child people:person women:woman ' +
    'men:man mice:mouse leaves:leaf knives:knife shelves:shelf hooves:hoof has:have does:do lives:live written:write ' +
    'ridden:ride driven:drive larger:bigger photos:photo photographs:photo photograph:photo picture:photo pictures:photo ' +
    'tv:television movies:movie sleeping:sleep sitting:sit swimming:swim'
  )
    .split(' ')
    .map((pair) => pair.split(':')),
);

/** Words whose ending looks like an inflection but is not one, so that it is not removed. */
const uninflected = new Set(
  'clothing clothes cloth painting building earring wedding thing string ring king spring glass brass dress grass press bus gas lens scissors pants canvas furniture red bed used need seed feed wooden something anything less class this is as us yes has was its morning evening'.split(
    ' ',
  ),
);

/** Returns the stem of a word: without a plural ending, -ing, -ed and a final silent e. The stem need not be a real word. */
export function stem(word: string): string {
  const known = irregular[word];
  if (known !== undefined) return stem(known);
  if (uninflected.has(word)) return word;
  let base = singular(word);
  if (uninflected.has(base)) return base;
  const inflected = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(base);
  if (inflected && inflected[1].length >= 2) base = inflected[1].replace(/([bdgklmnprt])\1$/, '$1');
  return base.length > 3 ? base.replace(/e$/, '') : base;
}

/** Returns the singular of a noun, found by the noun's ending. */
export function singular(word: string): string {
  if (uninflected.has(word) || word.length < 4) return word;
  if (/ies$/.test(word)) return word.replace(/ies$/, 'y');
  if (/(?:s|x|z|ch|sh)es$/.test(word) && !/(?:ases|oses|uses|axes|izes|azes)$/.test(word))
    return word.replace(/es$/, '');
  if (/(?:oes)$/.test(word) && word !== 'shoes') return word.replace(/es$/, '');
  return /[^sui]s$/.test(word) ? word.replace(/s$/, '') : word;
}
