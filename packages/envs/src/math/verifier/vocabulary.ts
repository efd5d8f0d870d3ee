// Lists the names of functions, accents and letters that the parser of mathematical expressions knows.

/** Functions that may be written without parentheses, such as `sin x`. */
export const functionNames: ReadonlySet<string> = new Set(
  'sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan arccot arcsec arccsc ln log exp abs sqrt radical cbrt floor ceil'.split(
    ' ',
  ),
);

/** Functions for which the notation f^{-1} means the inverse function and not the reciprocal. */
export const invertible: ReadonlySet<string> = new Set(['sin', 'cos', 'tan', 'cot', 'sec', 'csc']);

/** Letters that count as functions if parentheses follow, as in f(x). */
export const applied: ReadonlySet<string> = new Set(['f', 'g', 'F', 'G']);

/** Accents that distinguish variables: \bar{x} is another variable than x. */
export const accents: ReadonlySet<string> = new Set([
  'overline',
  'hat',
  'tilde',
  'dot',
  'ddot',
  'widehat',
  'underline',
]);
/** Accents that do not change a variable, such as a vector's arrow. */
export const invisible: ReadonlySet<string> = new Set(['vec', 'boldsymbol', 'mathnormal', 'bm']);

export const greek: ReadonlySet<string> = new Set(
  (
    'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi psi omega ' +
    'Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega ell hbar'
  ).split(' '),
);
