// Parses YAML to a document of the `yaml` package: syntax only, with all scalars as text. The nesting depth is limited while
// tokens are read, before recursive code processes them.
import { Composer, Lexer, LineCounter, Parser, visit, type Document, type ErrorCode, type YAMLError } from 'yaml';
import { YamlError } from './yaml-error.js';

/** The largest depth of nesting; without a limit, a few thousand brackets exhaust the stack. */
const maximumDepth = 500;

const nonPrintable = /[^\t\n\r\x20-\x7e\x85\xa0-\ufffd]/; // halves of surrogate pairs count as printable

/** The options of the package `yaml`: it returns only texts and tags, since read.ts determines types, keys and aliases itself. */
const syntaxOnly = {
  version: '1.1',
  schema: 'failsafe',
  resolveKnownTags: false,
  uniqueKeys: false,
  merge: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

export interface ParsedYaml {
  /** The parsed document; undefined if the text contains none. */
  readonly document: Document.Parsed | undefined;
  /** Returns line and column of an offset, both 1-based. */
  place(offset: number): { line: number; column: number };
}

export function parseYaml(given: string): ParsedYaml {
  // YAML treats a lone carriage return as a line break.
  const text = given.includes('\r') ? given.replace(/\r(?!\n)/g, '\n') : given;
  const lines = new LineCounter();
  lines.addNewLine(0);
  const place = (offset: number) => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line, column: col };
  };
  const fail = (message: string, offset: number, remedy?: string): never => {
    const { line, column } = place(offset);
    throw new YamlError(message, line, column, remedy);
  };
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer(syntaxOnly);
  const documents: Document.Parsed[] = [];
  for (const token of tokens(text, parser, fail)) {
    for (const document of composer.next(token)) documents.push(document as Document.Parsed);
  }
  for (const document of composer.end()) documents.push(document as Document.Parsed);
  const bad = nonPrintable.exec(text);
  if (bad) {
    const code = bad[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    fail(`character U+${code} is not allowed in YAML`, bad.index, 'write it as an escape in a double-quoted string');
  }
  const problems = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings.filter(isMistake)]);
  const first = problems.sort((a, b) => a.pos[0] - b.pos[0])[0];
  const second = documents[1];
  if (second && !(first && first.pos[0] < second.range[0])) {
    fail('a second document begins here', documentStart(text, second.range[0]), 'keep one document in a file');
  }
  if (first)
    fail(
      messageOf(first),
      isOpenQuote(first) ? quoteBefore(documents, first.pos[0]) : first.pos[0],
      remedies[first.code],
    );
  return { document: documents[0], place };
}

function* tokens(text: string, parser: Parser, fail: (message: string, offset: number) => never) {
  let brackets = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === '[' || lexeme === '{') brackets++;
    else if (lexeme === ']' || lexeme === '}') brackets--;
    yield* parser.next(lexeme);
    // The parser has two entries on its stack for each block: the block and its content.
    if (brackets > maximumDepth || parser.stack.length > 2 * maximumDepth)
      fail(`more than ${maximumDepth} levels of nesting`, parser.offset);
  }
  yield* parser.end();
}

/** Returns whether a warning of the parser is an error here: that about an unknown directive is; tags are checked by read.ts. */
const isMistake = ({ code }: YAMLError) => code === 'BAD_DIRECTIVE';

const documentStart = (text: string, offset: number) => {
  const mark = text.lastIndexOf('\n---', offset);
  return mark < 0 ? offset : mark + 1;
};

const isOpenQuote = ({ message }: { message: string }) => message.startsWith('Missing closing');

/** Finds the beginning of the quoted string that is not closed at an offset. */
function quoteBefore(documents: readonly Document.Parsed[], offset: number): number {
  let begin = offset;
  for (const document of documents) {
    visit(document, {
      Scalar: (_, { type, range }) => {
        if (type?.startsWith('QUOTE_') && range?.[1] === offset) begin = range[0];
      },
    });
  }
  return begin;
}

function messageOf({ code, message }: YAMLError): string {
  if (code === 'BLOCK_AS_IMPLICIT_KEY') return `a second ': ' in one value`;
  if (isOpenQuote({ message })) return 'a quoted string is never closed';
  if (message.startsWith('Implicit map keys need to be followed')) return `no ':' after this key`;
  return message.charAt(0).toLowerCase() + message.slice(1);
}

const remedies: Partial<Record<ErrorCode, string>> = {
  BAD_DIRECTIVE: `write '%YAML 1.1' or delete the line`,
  BAD_DQ_ESCAPE: 'double the backslash, or use single quotes',
  BAD_INDENT: 'close brackets opened above, or check the indentation of this line and the one above',
  BAD_SCALAR_START: 'put the value in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'quote the value, or indent the next line as its neighbours are',
  MISSING_CHAR: `close quotes and brackets, write 'key: value', or indent this line to continue the value above`,
  MULTILINE_IMPLICIT_KEY: `write 'key: value' on one line`,
  TAB_AS_INDENT: 'use spaces',
  UNEXPECTED_TOKEN: 'check brackets, quotes and indentation of this line and the one above',
};
