// Normalises the characters of an answer before parsing: digits and signs that look alike in Unicode get one form.

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉';

/** The LaTeX command for each special character. Unicode's compatibility decomposition would change the meaning of some. */
const commands: Readonly<Record<string, string>> = {
  '≤': '\\le ',
  '≥': '\\ge ',
  '≠': '\\ne ',
  '≈': '\\approx ',
  '±': '\\pm ',
  '∓': '\\mp ',
  '∞': '\\infty ',
  '∪': '\\cup ',
  '∩': '\\cap ',
  '∈': '\\in ',
  '√': '\\radical ',
  '∅': '\\emptyset ',
  ℝ: '\\mathbb{R}',
  '∑': '\\sum ',
  π: '\\pi ',
  θ: '\\theta ',
  α: '\\alpha ',
  β: '\\beta ',
  γ: '\\gamma ',
  δ: '\\delta ',
  λ: '\\lambda ',
  μ: '\\mu ',
  σ: '\\sigma ',
  φ: '\\phi ',
  ω: '\\omega ',
  '⟨': '\\langle ',
  '⟩': '\\rangle ',
  '∖': '\\setminus ',
};

const COMMANDS = new RegExp(`[${Object.keys(commands).join('')}]`, 'gu');

const raised = (digits: string) => `^{${[...digits].map((digit) => SUPERSCRIPTS.indexOf(digit)).join('')}}`;
const lowered = (digits: string) => `_{${[...digits].map((digit) => SUBSCRIPTS.indexOf(digit)).join('')}}`;

export function plainCharacters(text: string): string {
  return text
    .replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, raised)
    .replace(/[₀₁₂₃₄₅₆₇₈₉]+/g, lowered)
    .replace(/ℝ/g, commands['ℝ'])
    .replace(/[¼-¾⅐-⅞]/g, ' $&') // so that 1½ is 1 1/2, not 11/2
    .normalize('NFKC')
    .replace(/[\u2212\u2010-\u2015\uFE63]/g, '-')
    .replace(/\u2044/g, '/')
    .replace(/[\u00D7\u22C5\u00B7\u2217]/g, '*')
    .replace(/\u00F7/g, '/')
    .replace(/[\u2018\u2019]/g, "'");
}

/** Normalises the characters of a text, and replaces special characters by their LaTeX commands. */
export const withCommands = (text: string): string => plainCharacters(text).replace(COMMANDS, (sign) => commands[sign]);
