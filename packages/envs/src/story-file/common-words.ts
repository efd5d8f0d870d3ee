// Chooses, among the synonyms that a text adventure understands, the word that a player would most likely type.

/** Verbs, directions and prepositions that players of text adventures type, in descending order of estimated frequency. */
const BY_FREQUENCY = (
  'take north east west south examine look get put open go enter up down drop give ask push read pull wait ' +
  'turn talk show tell climb search close unlock move eat wear northwest northeast southwest southeast sit stand ' +
  'drink exit out throw light jump say break cut tie touch attack hit kill smell listen hide kiss use buy fill ' +
  'remove insert follow dig burn wave swim sleep wake lock knock pour set fix switch shoot taste sing pray ' +
  'think rub clean blow empty lie leave press feed pick squeeze swing yes no lift play shake ring ride ' +
  'in on to at with under into through from about off over inside onto for against across behind toward outside of'
).split(' ');

const ranks = new Map(BY_FREQUENCY.map((word, place) => [word, BY_FREQUENCY.length - place]));

/** Returns how common a word is; 0 if unlisted. A word cut to six or nine letters, as in old games, counts as the full word. */
export function commonness(word: string): number {
  const rank = ranks.get(word);
  if (rank !== undefined) return rank;
  if (word.length !== 6 && word.length !== 9) return 0;
  const whole = BY_FREQUENCY.find((known) => known.startsWith(word));
  return whole === undefined ? 0 : (ranks.get(whole) ?? 0);
}

/** Returns the most common of several synonyms; of equally common ones, the first. */
export function commonest(words: readonly string[]): string {
  return words.reduce((best, word) => (commonness(word) > commonness(best) ? word : best));
}
