// Decodes backslash escapes in the texts of a page, as ArCHer's client does for every page by Python's
// `text.encode().decode("unicode-escape").encode("latin1").decode("utf-8")`. Other text is unchanged. Source: ArCHer's WebShop
// client at commit 7c771a7.

const named: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Matches Python's escapes: octal, \xHH, \uHHHH, \UHHHHHHHH or named. A backslash before other characters is kept. */
const sequence =
  /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\n\\'"abfnrtv])|([xuUN]|$))/g;

class Malformed extends Error {}

/** Decodes the escapes; a text for which Python would raise an error (a broken escape, no UTF-8) is returned unchanged. */
export function unicodeEscapeDecoded(text: string): string {
  if (!text.includes('\\')) return text;
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  try {
    const decoded = bytes.replace(sequence, (_, octal?: string, ...more: (string | undefined)[]) => {
      const [x, u, U, name] = more;
      if (octal !== undefined) return latin1(parseInt(octal, 8));
      const hex = x ?? u ?? U;
      if (hex !== undefined) return latin1(parseInt(hex, 16));
      if (name !== undefined) return named[name];
      throw new Malformed();
    });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(decoded, 'latin1'));
  } catch {
    return text;
  }
}

function latin1(code: number): string {
  if (code > 0xff) throw new Malformed();
  return String.fromCharCode(code);
}
