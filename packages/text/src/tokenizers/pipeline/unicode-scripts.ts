// Splits a text where the script changes.
// Source: pre_tokenizers/unicode_scripts of huggingface/tokenizers, whose table is that of Unicode 9. Differs from it: here a
// newer character has its script if the script is in the list below.

/** The scripts in the library's table, frequent ones first. */
const SCRIPTS = `
Latin Common Han Hiragana Katakana Inherited Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum
Bassa_Vah Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian
Chakma Cham Cherokee Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Duployan Egyptian_Hieroglyphs Elbasan Ethiopic
Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Hangul Hanunoo Hatran Hebrew Imperial_Aramaic
Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Kayah_Li Kharoshthi Khmer Khojki Khudawadi Lao
Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Malayalam Mandaic Manichaean Marchen Meetei_Mayek
Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean New_Tai_Lue Newa
Nko Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_South_Arabian Old_Turkic Oriya
Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra
Sharada Shavian Siddham SignWriting Sinhala Sora_Sompeng Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham
Tai_Viet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Ugaritic Vai Warang_Citi Yi
`
  .trim()
  .split(/\s+/)
  .map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }));

const known = new Map<string, string | undefined>([
  [' ', undefined],
  ['ー', 'Han'],
]);

/** Returns the script of a character; undefined for a character that has none and belongs to the piece before it. */
function scriptOf(character: string): string | undefined {
  if (known.has(character)) return known.get(character);
  const name = SCRIPTS.find(({ pattern }) => pattern.test(character))?.name;
  const script = name === 'Hiragana' || name === 'Katakana' ? 'Han' : name;
  known.set(character, script);
  return script;
}

/** Yields the longest parts of the text that have one script. Characters without a script before the first one are dropped, as in the library. */
export function* runsOfScripts(text: string): Generator<string> {
  let [start, last]: [number | undefined, string | undefined] = [undefined, undefined];
  let at = 0;
  for (const character of text) {
    const script = scriptOf(character);
    if (script !== undefined && script !== last) {
      if (start !== undefined) yield text.slice(start, at);
      [start, last] = [at, script];
    }
    at += character.length;
  }
  if (start !== undefined) yield text.slice(start);
}
