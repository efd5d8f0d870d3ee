// Tests pairs of Math-Verify's own tests (huggingface/Math-Verify at 5d148cf, tests/): reference, final answer, and whether it
// calls them equal. Pairs that occur twice, equal plain numbers, and rows about finding an answer in prose are left out, as are
// those whose text is damaged by Python's escapes. Where this verifier decides otherwise, the row names the reason.
import { verify } from '../verifier.js';

const reasons = {
  comma: 'a comma makes a list, or groups of thousands, and is not a decimal point',
  problem: 'where a number is asked for, a calculation is the problem written again',
  rounded: 'a rounded number is not the number',
  letter: 'one letter joined to a number is a variable: 3m² may be a product',
  chain: 'a side that is nothing known',
  braces: 'braces of LaTeX are invisible: the answer is a list without an order, and the reference a pair',
  repeated: 'a list without braces has its members as often as they are written',
  solved: 'nothing is solved: a bound of |z| is not one of z',
  interval: 'an interval and an inequality of one variable are the same set, whichever is the reference',
  joined: 'letters in a row are one word',
  mistaken: 'the row is a known mistake of theirs, corrected in their pull request 82',
} as const;

/** Each row has whether they are equal there, the reference, the answer, and the reason of another decision here. */
const pairs = String.raw`
1 ;; 7425000 ;; 7,425,000
1 ;; 1000 ;; 1 000
1 ;; 1000 ;; 1000.0
1 ;; 1000.0 ;; 1,000.0
1 ;; 1000.99 ;; 1000,99 ;; comma
1 ;; 1,22 ;; 1.22 ;; comma
1 ;; 2.74 ;; 2,74 \$ ;; comma
1 ;; 0.4 ;; .4
1 ;; 1000.99 ;; 1,000.99
1 ;; 1000.99 ;; $1,000.99
1 ;; 1000.99 ;; 1,000.99$
1 ;; 1000.99 ;; 1,000.99€
1 ;; 1000.99 ;; 1,000.99m² ;; letter
1 ;; 0,111 ;; 0.111 ;; comma
0 ;; 2 ;; AZYUK2A
1 ;; 10/9 ;; \frac{10}{9}
1 ;; -10/9 ;; -\frac{10}{9}
1 ;; [0,1) ;; [0,1)
0 ;; [0,9) ;; [0,1)
0 ;; (0,9) ;; [0,9)
0 ;; 1 ;; -[0,1)
1 ;; 10 ;; (9+1) ;; problem
1 ;; 1/3 ;; \frac13
1 ;; 1 ;; \frac3{3} ;; problem
1 ;; \sqrt{3} ;; \sqrt3
1 ;; 1/3 ;; \cfrac{1}{3}
1 ;; 1/3 ;; \dfrac{1}{3}
1 ;; 1/3 ;; \tfrac{1}{3}
1 ;; 1/3 ;; \left( \frac{1}{3} \right)
1 ;; 1/3 ;; \frac{1}{3}
1 ;; 1/3 ;; \frac{1}{3} \text{meters}
1 ;; 1/3 ;; \frac{1}{3} \textbf{meters}
1 ;; 1/3 ;; k = \frac{1}{3}
1 ;; 28\% ;; 28 percent
1 ;; 28\% ;; 28 pct
1 ;; 28\% ;; 28 %
1 ;; 28\% ;; $28$ %
1 ;; 28\% ;; $28$ percent
1 ;; 28\% ;; 28
1 ;; 28\% ;; 28 percentage
1 ;; 2-2p ;; 2-2p
1 ;; \begin{pmatrix} 0 & 3 \\ 0 & -1 \end{pmatrix} ;; \begin{pmatrix} 0 & 3 \\ 0 & -1 \end{pmatrix}
1 ;; 28 \% ;; 28\%
1 ;; 14{,}916 ;; 14 {, }916
1 ;; 12\text{ and }13 ;; 12 $ and $13
1 ;; (3, \frac{\pi}{2}) ;; \left( 3, \frac{\pi}{2} \right)
1 ;; \frac{14}{3} ;; \frac{14}{3}
1 ;; \text{Evelyn} ;; \text{Evelyn}
1 ;; 90^\circ ;; 90^\circ
1 ;; 3\sqrt{13} ;; 3\sqrt{13}
1 ;; \frac{3}{56} ;; \frac{3}{56}
1 ;; 15\mbox{ cm}^2 ;; 15\mbox{ cm}^2
1 ;; -2,1 ;; -2,1
1 ;; (6,31,-1) ;; (6,31,-1)
1 ;; 1 \pm \sqrt{19} ;; 1 \pm \sqrt{19}
1 ;; 3 \pm 2 \sqrt{2} ;; 3 \pm 2 \sqrt{2}
1 ;; \{1\pm\sqrt{5},-2\} ;; \{1\pm\sqrt{5},-2\}
1 ;; f(2) < f(1) < f(4) ;; f(2) < f(1) < f(4)
1 ;; 2 \sin b \cos a ;; 2 \sin b \cos a
1 ;; \frac{\pi r}{h+r} ;; \frac{\pi r}{h+r}
1 ;; $125$ miles ;; 125\textnormal{ miles}
1 ;; [-1, -\frac{1}{2}) \cup (-\frac{1}{2}, 0) \cup (0, 1) \cup (1, \infty) ;; [-1, -\tfrac12) \cup (-\tfrac12, 0) \cup (0, 1) \cup (1, \infty)
1 ;; \sqrt{2}+\sqrt{5} ;; \sqrt 2+\sqrt 5
1 ;; \frac{9}{4}\pi ;; \frac94\pi
1 ;; \{-1\} \cup [0,7) ;; \{-1\} \cup [0,7)
1 ;; x >= 5 ;; x \geq 5
1 ;; x < 3 ;; x \lt 3
1 ;; x \leq 2 ;; x <= 2
1 ;; x > 5 ;; x \gt 5
1 ;; x != 3 ;; x \neq 3
0 ;; x > 5 ;; x < 5
0 ;; x \geq 5 ;; x \leq 5
1 ;; x \neq 5 ;; x != 5
1 ;; x \leq 5 ;; 5 \geq x
1 ;; x \geq 5 ;; 5 \leq x
1 ;; x = 11 ;; x = 5+5+1 = 7 =11
0 ;; 7 = 11a+c ;; 11a+c
1 ;; x = 1/3 ;; x = 5+5+1 = 1/3 \approx 11
1 ;; 11 ;; x=11
1 ;; 11 ;; x\approx11
1 ;; 1/3 ;; x=1/3\approx1.3
1 ;; x < 1 ;; -x > -1
0 ;; x < 1 ;; x > -1
1 ;; x <= 1 ;; -x >= -1
0 ;; a +3z = 0 ;; 0
1 ;; 1 = \zzz = x = 0 ;; 0 ;; chain
0 ;; 2x + z = 1 ;; 1
0 ;; a^2 + b = 0 ;; 0
1 ;; k=1 ;; 1
1 ;; 1 ;; k=1
1 ;; z = 1 + 1 = 2 ;; z = 3+3 = 2
1 ;; 2x+4y-3=0 ;; y=-\frac{1}{2}x+\frac{3}{4}
1 ;; x^2/4 + y^2/3 = 1 ;; x^2/16 + y^2/12 = 1/4
1 ;; \begin{pmatrix}1 & 0 \\ 0 & 1\end{pmatrix} ;; \begin{pmatrix}1 & 0 \\ 0 & 1\end{pmatrix}
1 ;; \begin{bmatrix}0 & 0 \\0 & 0\end{bmatrix} ;; \begin{pmatrix}0 & 0 \\0 & 0\end{pmatrix}
1 ;; \begin{pmatrix}1 & 2 \\3 & 4\end{pmatrix} ;; \left[\begin{array}{cc}1 & 2 \\3 & 4\end{array}\right]
1 ;; \begin{pmatrix}\frac{1}{2} & \frac{3}{4} \\ \frac{5}{6} & \frac{7}{8}\end{pmatrix} ;; \begin{pmatrix}\frac{1}{2} & \frac{3}{4} \\ \frac{5}{6} & \frac{7}{8}\end{pmatrix}
1 ;; \begin{pmatrix}6 & 8 \\ 10 & 12\end{pmatrix} ;; \begin{pmatrix}1 & 2 \\ 3 & 4\end{pmatrix} + \begin{pmatrix}5 & 6 \\ 7 & 8\end{pmatrix} ;; problem
1 ;; \begin{pmatrix}1 & 0 \\ 0 & 1\end{pmatrix} ;; \begin{pmatrix}1 & 0 \\ 0 & 1\end{pmatrix} \begin{pmatrix}1 & 0 \\ 0 & 1\end{pmatrix} ;; problem
0 ;; \begin{pmatrix}1 & 2 \\ 3 & 4\end{pmatrix} ;; \begin{pmatrix}1 & 2 \\ 3 & 5\end{pmatrix}
1 ;; \frac{1}{12} ;; 0.0833333333333333 ;; rounded
1 ;; (1,\frac{9}{2}) ;; (1,4.5)
1 ;; \frac{x+2}{7} ;; \frac{x}{7}+\frac{2}{7}
1 ;; \tan^2(y)+1 ;; \sec^2(y)
1 ;; \begin{pmatrix}\frac{1}{3\sqrt[3]{x}^2}&0&0\\0&1&0\\-\sin(x)&0&0\\end{pmatrix} ;; \begin{pmatrix}\frac{1}{3x^{2/3}}&0&0\\0&1&0\\-\sin(x)&0&0\end{pmatrix}
1 ;; 34x+45y-20z+100=0 ;; -34x-45y+20z-100=0
1 ;; (\begin{pmatrix}\frac{1}{3}\\ \frac{1}{5} \end{pmatrix}) ;; \begin{pmatrix}0.33\\0.2 \end{pmatrix} ;; rounded
1 ;; \frac{\sqrt{\sqrt{11}+\sqrt{194}}}{15+2\sqrt{33}} ;; \frac{\sqrt{\sqrt{11}+\sqrt{194}}}{2\sqrt{33}+15}
0 ;; (a+5)(b+2) ;; (+5)(b+2)
0 ;; 2 ;; \frac{1+\sqrt{5}}{2}
0 ;; 4 ;; \frac{34}{16}+\frac{\sqrt{1358}}{16}
0 ;; 1\sqrt{19} ;; 1
1 ;; (\frac{3}{5},\frac{8}{3}] ;; (0.6,2.6667] ;; rounded
0 ;; x+2n+1 ;; x+1
1 ;; (7,6) ;; (7, 6)
0 ;; [0,1) ;; (0, 1)
0 ;; [-3,2] ;; (-\infty, -3] \cup [2, \infty)
1 ;; 16386.20 ;; \$16,\!386.20
1 ;; 12000023 ;; 12,000,023
1 ;; 14916 ;; 14{,}916
1 ;; \left(\frac{1}{5},\frac{1}{6}\right) ;; \left( \frac{1}{5}, \frac{1}{6} \right)
1 ;; \left(\frac{4}{5},\frac{1}{5}\right) ;; \left( \frac{4}{5}, \frac{1}{5} \right)
1 ;; \frac{5\sqrt{42}}{27} ;; \frac{10\sqrt{10.5}}{27}
1 ;; 16386.17 ;; \$16386.17
1 ;; [-2, 7] ;; x \in [-2,7]
0 ;; (\tfrac{27}{8},\tfrac{15}{8}) ;; (0, 0)
1 ;; \left( \frac{4}{3}, -\frac{1}{3} \right) ;; \left( \frac{4}{3}, -\frac{1}{3} \right)
0 ;; (3,1) ;; {1,3}
1 ;; (1,3) ;; {1,3} ;; braces
1 ;; 20\% ;; 20\%
1 ;; 7.78 ;; 7.78.
1 ;; x-2y+z-1=0 ;; x-2y+z-1=0
1 ;; [-4,0] ;; [-4, 0]
1 ;; (-6, 10) ;; (-6, 10)
0 ;; 1112112_3 ;; 1112122_3
1 ;; \text{C} ;; \text{(C)}
1 ;; 11111111100 ;; 11,\! 111,\! 111,\! 100
1 ;; 32349 ;; 32,\! 349
0 ;; 32349 ;; 32, 349
1 ;; (2, 12) \cup (12, 102) ;; (2,12) \cup (12,102)
1 ;; \text{E} ;; E
1 ;; 1, 2 ;; 1,2
1 ;; 1,-2 ;; -2, 1
1 ;; -2 \le x \le 7 ;; x \in [-2,7]
0 ;; x \in [-2,7] ;; -2 \le x \le 7 ;; interval
1 ;; 4.123105625617661 ;; \sqrt{17} ;; rounded
0 ;; 4 ;; 4\sqrt{2}
1 ;; (37,3,3,13),(17,3,3,7),(3,37,3,13),(3,17,3,7),(3,3,2,3) ;; (3, 37, 3, 13), (3, 17, 3, 7), (3, 3, 2, 3), (3,17,3,7), (17,3,3,7), (37,3,3,13) ;; repeated
1 ;; (p,q)=(3,2) ;; (3,2)
1 ;; (0;0;0),(0;-2;0),(0;0;6),(0;-2;6),(4;0;0),(4;-2;0),(4;0;6),(4;-2;6) ;; (4, 0, 6), (4, -2, 6), (0, 0, 6), (0, -2, 6), (4, 0, 0), (4, -2, 0), (0, 0, 0), (0, -2, 0)
1 ;; 1\leq|z|\leq \frac{3}{2} ;; z \in \left[-\frac{3}{2}, -1\right] \cup \left[1, \frac{3}{2}\right] ;; solved
1 ;; -12;-11;-10;-8;-7;-6 ;; \{-12, -11, -10, -8, -7, -6\}
1 ;; AB=4,CD=5 ;; 4, 5
1 ;; (11,7)or(7,11) ;; (7,11),\ (11,7)
1 ;; S_{MBCN}:S=7:32 ;; 7:32
1 ;; \frac{NO}{BO}=\frac{1}{\sqrt{6}} ;; \frac{1}{\sqrt{6}}
1 ;; p=5,q=2;p=7,q=2 ;; (5,2),(7,2)
1 ;; (p,q,r)=(3,2,7) ;; (3,2,7)
1 ;; V_{1}:V_{2}=11:21 ;; 11:21
1 ;; (2,1),(1,2),(-1,-20),(-20,-1) ;; (1, 2), (2, 1), (-1, -20), (-20, -1)
1 ;; 1, -2 ;; -2,1
1 ;; \text{odd} ;; odd
1 ;; \text{e} ;; e
0 ;; d ;; \text{E}
1 ;; $1$ and $2$ and $3$ ;; 1,2,3
0 ;; (37,3,3),(17,3,3,7),(3,37,3,13),(3,17,3,7),(3,3,2,3) ;; (3, 37, 3, 13), (3, 17, 3, 7), (3, 3, 2, 3), (3,17,3,7), (17,3,3,7), (37,3,3,13)
1 ;; (p,q)=(3,2) ;; (3, 2)
1 ;; x = -5,\ p = \frac{14}{3} ;; -5, \frac{14}{3}
1 ;; a=4,\,-8,\,-10 ;; -10,-8,4
1 ;; W(n) = 1 \text{ and } W(n) = -1 ;; W(x)=1orW(x)=-1 ;; joined
1 ;; $21,16$ or $11$ ;; 21,16,11
1 ;; p = -1 \text{ and } p = \dfrac{15}{8} ;; p=-1,p=\frac{15}{8}
1 ;; 0<f(x)<1 ;; (0,1)
1 ;; 6 \text{ and } 8 ;; 6,8
1 ;; \text{Even} ;; Even
1 ;; 2, 3, 5, 7, 13 ;; {2, 3, 5, 7, 13}
1 ;; f(y) = y ;; f(y) = y
1 ;; -793 < a < 10 ;; (-793, 10)
1 ;; \text{The midpoints form a regular hexagon} ;; \text{The midpoints form a regular hexagon}
1 ;; a_3 = 2, a_{37} = 19 ;; a_{37} = 19, \quad a_3 = 2
1 ;; (2, 2), (1, 3), (3, 3) ;; (2, 2), (1, 3), (3, 3)
1 ;; (1, +\infty) ;; (1, +\infty)
1 ;; x = \frac{1}{2}, x = \frac{-1 \pm \sqrt{13}}{4} ;; x = \frac{1}{2}, x = \frac{-1 \pm \sqrt{13}}{4}
1 ;; 0.06 \text{ yuan} ;; 0.06 \text{ yuan}
1 ;; (5, 8), (8, 5) ;; (x, y) = (5, 8) \quad \text{and} \quad (8, 5)
1 ;; 6 \text{ and } 8 ;; 6 \text{ and } 8
1 ;; (2, 2), (6, 2) ;; (2, 2), (6, 2)
1 ;; (98, 2), (99, 503) ;; (98, 2), (99, 503)
1 ;; k \ge 2 ;; k \ge 2
1 ;; k = 45, n = 2 ;; k = 45, n = 2
1 ;; {1,2,3} ;; 1, 2, 3
1 ;; |AB|=1 ;; 1
1 ;; A:B=1 ;; 1
1 ;; f(x)=1 ;; 1
1 ;; x_{1}=10^{\frac{-5+\sqrt{13}}{6}},\quadx_{2}=10^{\frac{-5-\sqrt{13}}{6}} ;; 10^{\frac{\sqrt{13} - 5}{6}}, 10^{-\frac{5 + \sqrt{13}}{6}}
1 ;; y_{1}=-2 x^{2}+4 x+3, y_{2}=3 x^{2}+12 x+10 ;; y_1 = -2(x - 1)^2 + 5, y_2 = 3(x + 2)^2 - 2
1 ;; x_{1}=\frac{1}{2}+\frac{31\sqrt{5}}{216},\quadx_{2}=\frac{1}{2}-\frac{31\sqrt{5}}{216} ;; \dfrac{108 + 31\sqrt{5}}{216}, \dfrac{108 - 31\sqrt{5}}{216}
0 ;; f(x) ;; f(y)
1 ;; n=1, 2, 3 ;; n=1, 2, 3
0 ;; n=2, 3, 4 ;; n=1, 2, 3
1 ;; D = (0, 1) ;; D = (0, 1)
0 ;; D = (0, 1) ;; D = (0, 1.5)
0 ;; F_n = \sum_{k=0}^{n-1} F_k F_{n-k-1} ;; F_n = \sum_{k=0}^{n-2} F_k F_{n-k-2}
1 ;; F_n = \sum_{k=0}^{n-1} F_k F_{n-k-1} ;; F_n = \sum_{k=0}^{n-1} F_{n-k-1} F_k
1 ;; 19, 46, and 82 ;; 19, 46, \text{ and } 82
0 ;; 19, 46, and 82 ;; 21, 36, and 82
1 ;; 1 - \frac{1}{\mathrm{e}} ;; 1 - \frac{1}{\mathrm{e}}
1 ;; 1 - \frac{1}{\mathrm{e}} ;; 1 + \frac{1}{\mathrm{e}} ;; mistaken
0 ;; \pm 2021 ;; 2021
1 ;; \pm 2021 ;; {-2021, 2021}
0 ;; 12:00 ;; 1:00
1 ;; 12:00 ;; 12:00
`
  .trim()
  .split('\n')
  .map((row) => [...row.split(' ;; '), ''].slice(0, 4)); // jest takes a missing argument for a callback

test.each(pairs)('%s: %s and %s', (theirs, reference, answer, reason) => {
  const { isCorrect } = verify(`\\boxed{${answer}}`, reference);
  expect(isCorrect).toBe(reason === '' ? theirs === '1' : theirs !== '1');
});

test('calculations are taken as there, where they are asked for', () => {
  // This verifier does not compute sums of matrices.
  const calculations = pairs.filter(([, , answer, reason]) => reason === 'problem' && !answer.includes('matrix'));
  expect(calculations).toHaveLength(2);
  for (const [theirs, reference, answer] of calculations)
    expect([answer, verify(`\\boxed{${answer}}`, reference, { calculations: true }).isCorrect]).toEqual([
      answer,
      theirs === '1',
    ]);
});

test.each([
  ['2^{10}', '1024', true],
  ['\\frac13+\\frac16', '\\frac12', true],
  ['5!', '120', true],
  ['\\sin^2 x+\\cos^2 x', '1', true],
  ['\\sqrt{16}', '4', true],
  ['27 + 48', '75', true],
  ['(3, 2+2)', '(3, 4)', true],
  ['2+3 \\text{ cm}', '5 \\text{ cm}', true],
  ['2^{10}', '1023', false],
  ['\\frac13+\\frac17', '\\frac12', false],
  ['2+3', '6', false],
])('%s for %s is the problem, or with calculations taken: %s', (answer, reference, isRight) => {
  const solution = `\\boxed{${answer}}`;
  expect(verify(solution, reference).isCorrect).toBe(false);
  expect(verify(solution, reference, { calculations: true }).isCorrect).toBe(isRight);
  // With answer and reference exchanged, a value is right in both.
  if (!answer.includes('x')) expect(verify(`\\boxed{${reference}}`, answer).isCorrect).toBe(isRight);
});

test('agreement is as ../math.md says', () => {
  const differing = pairs.filter(([, , , reason]) => reason !== '');
  expect(differing.every(([, , , reason]) => reason in reasons)).toBe(true);
  expect([pairs.length, pairs.length - differing.length]).toEqual([212, 192]);
});
