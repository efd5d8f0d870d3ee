// Parses nested lists in parentheses, the syntax of PDDL files. Names are converted to lower case, and `;` begins a comment.

export type SExpression = string | readonly SExpression[];

class SExpressionError extends Error {
  override readonly name = 'SExpressionError';
}

/** Parses a PDDL text to nested lists. @throws SExpressionError with the line at which parentheses do not match */
export function parseSExpression(text: string): SExpression {
  const stack: SExpression[][] = [[]];
  let line = 1;
  for (const [token] of text.matchAll(/\n|;[^\n]*|[()]|[^\s();]+/g)) {
    if (token === '\n') line++;
    else if (token === '(') stack.push([]);
    else if (token === ')') {
      const list = stack.pop()!;
      if (stack.length === 0) throw new SExpressionError(`line ${line}: a ')' without its '('`);
      stack[stack.length - 1].push(list);
    } else if (!token.startsWith(';')) stack[stack.length - 1].push(token.toLowerCase());
  }
  if (stack.length > 1) throw new SExpressionError(`line ${line}: ${stack.length - 1} '(' without their ')'`);
  if (stack[0].length !== 1) throw new SExpressionError(`expected one list, found ${stack[0].length} expressions`);
  return stack[0][0];
}
