// Lists the names that the parser of expressions knows.

/** Functions of the argument that follows them. */
export const functionNames: ReadonlySet<string> = new Set(
  'sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan arccot arcsec arccsc ln log exp abs sqrt radical cbrt floor ceil'.split(
    ' ',
  ),
);

/** Functions f for which f^{-1} is the inverse function. */
export const invertible: ReadonlySet<string> = new Set(['sin', 'cos', 'tan', 'cot', 'sec', 'csc']);

/** Letters that are functions if parentheses follow. */
export const applied: ReadonlySet<string> = new Set(['f', 'g', 'F', 'G']);

/** Accents that make a different variable of a letter. */
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
