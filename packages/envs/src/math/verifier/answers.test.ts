// Tests answers by the kinds of the grammar in ../math.md: which equal a reference, and which do not.
import { verify } from '../verifier.js';

const rowsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((row) => row.split(' ;; '));

const isCorrect = (answer: string, reference: string) => verify(`\\boxed{${answer}}`, reference).isCorrect;

/** Each row has an answer, then a reference. */
const same = rowsOf(String.raw`
x^x ;; e^{x \ln x}
f(x+x) ;; f(2x)
3 million ;; 3000000
3000000 ;; 3 million
3{,}000{,}000 ;; 3\text{ million}
2.5 million ;; 2500000
3 dozen ;; 36
\$3 million ;; 3000000
3 pm ;; 3 pm
3:00 pm ;; 3 pm
3 p.m. ;; 3 pm
3\text{ a.m.} ;; 3 am
3 pears and 2 apples ;; 2 apples and 3 pears
2 \text{ apples}, 3 \text{ pears} ;; 2 apples and 3 pears
x=2,y=1 ;; y=1,x=2
(x,y)=(1,2) ;; x=1,y=2
(1,2) ;; x=1,y=2
1,2 ;; x=1,y=2
\sin x^2 ;; \sin(x^2)
\sin^2 x ;; (\sin x)^2
\sin x \cos x ;; \frac12\sin 2x
\sin^{-1} x ;; \arcsin x
3 ;; \log_2 8
\ln x^2 ;; 2\ln x
2\ln|x| ;; \ln x^2
\ln(xy) ;; \ln x + \ln y
\sqrt[3]{x} ;; x^{1/3}
x^{\frac13} ;; \sqrt[3]{x}
\sqrt{x} ;; x^{1/2}
10\,000 ;; 10000
10 000 ;; 10000
10{,}000 ;; 10000
10,000 ;; 10\,000
3 ;; 3 cm^2
3 \mathrm{~cm} ;; 3 cm
300 cm ;; 3 m
120 minutes ;; 2 hours
60 km/h ;; 60 \text{ km/h}
60 \text{ km per hour} ;; 60 km/h
60\frac{km}{h} ;; 60 km/h
5 square meters ;; 5 m^2
5 m ;; 5m
yx ;; xy
abc ;; cba
2ab ;; 2ba
x y ;; yx
\begin{pmatrix} \frac12 & 0 \\ 0 & 1 \end{pmatrix} ;; \begin{bmatrix} 0.5 & 0 \\ 0 & 1 \end{bmatrix}
\begin{pmatrix} 1/2 \\ 1/3 \end{pmatrix} ;; \frac16\begin{pmatrix} 3 \\ 2 \end{pmatrix}
0.\overline{3} ;; \frac13
0.1\overline{6} ;; 1/6
1/3 ;; 0.\overline{3}
0.(3) ;; 1/3
\sqrt{3+2\sqrt2} ;; 1+\sqrt2
1 ;; \sqrt[3]{2+\sqrt5}+\sqrt[3]{2-\sqrt5}
\frac{1}{\sqrt2+1} ;; \sqrt2-1
\cos 60^\circ ;; \cos\frac{\pi}{3}
\sin 15^\circ ;; \frac{\sqrt6-\sqrt2}{4}
\cos 36^\circ ;; \frac{1+\sqrt5}{4}
-1 ;; e^{i\pi}
(1+i)^2 ;; 2i
\frac{1}{i} ;; -i
x<5 ;; (-\infty,5)
5>x ;; x<5
(2,3) ;; 2<x<3
x \neq 3 ;; x\ne3
x\in\mathbb{R} ;; \mathbb{R}
(-\infty,\infty) ;; \mathbb{R}
\emptyset ;; \{\}
\mathbb{R}\setminus\{1\} ;; \mathbb{R} \setminus \{1\}
y=2x+1 ;; 2x+1
y-2x=1 ;; y=2x+1
2y=4x+2 ;; y=2x+1
x=2 ;; 2
B ;; (B)
(B) ;; B
\textbf{(B)}\ 12 ;; B
b ;; (B)
50\% ;; \frac12
0.5 ;; 50\%
2\frac12 ;; 2.5
-2\frac{1}{2} ;; -2.5
n! ;; n(n-1)!
10 ;; \binom52
\binom{n}{2} ;; \frac{n(n-1)}{2}
2^{n+1} ;; 2\cdot 2^n
4^x ;; 2^{2x}
\frac{x^2-1}{x-1} ;; x+1
|x| ;; \sqrt{x^2}
|x-1| ;; |1-x|
\sec^2 y ;; \tan^2 y+1
\tan x ;; \frac{\sin x}{\cos x}
\arctan 1 ;; \frac{\pi}{4}
x^{-1} ;; \frac1x
2/3x ;; \frac{2x}{3}
\frac{1}{2}\ln 3 ;; \ln\sqrt3
\$0.50 ;; 50 cents
5 dollars ;; \$5
90^\circ ;; 90 degrees
+\infty ;; \infty
Monday ;; monday
\text{yes} ;; yes
3 ;; 3 apples
7:32 ;; 7:32
2:4 ;; 1:2
\frac{\pi}{6} + 2k\pi ;; 2\pi k+\frac{\pi}{6}
a_1+a_2 ;; a_2+a_1
x_{12} ;; x_12
\sqrt{x^2+1} ;; \sqrt{1+x^2}
\frac{\sqrt{x}}{x} ;; \frac{1}{\sqrt x}
\sqrt{xy} ;; \sqrt x\sqrt y
2 ;; \log 100
\left(\frac{1}{2},\infty\right) ;; (0.5,\infty)
[1,2]\cup[3,4] ;; [3,4]\cup[1,2]
x<1 or x>3 ;; (-\infty,1)\cup(3,\infty)
\pm 2 ;; 2,-2
x=\pm 2 ;; x=2 or x=-2
3\times 10^5 ;; 300000
1.5\cdot 10^{-3} ;; 0.0015
10^{10^{10}} ;; 10^{10^{10}}
\ln 2 ;; \ln 3 - \ln 1.5
\frac32 ;; \log_4 8
1 ;; \cosh^2 x-\sinh^2 x
3x^2y ;; 3yx^2
2 \cdot 3^n ;; 6\cdot 3^{n-1}
(-1)^n ;; (-1)^{n+2}
\frac{a}{b} ;; a/b
6 i ;; 6i
2\pi r h ;; 2\pi hr
\sin\frac{\pi}{7} ;; \cos\frac{5\pi}{14}
5 \text{ ft } 3 \text{ in} ;; 63 inches
1 hour 30 minutes ;; 90 minutes
\text{3 cm} ;; 3 cm
3 \, \text{cm} ;; 3
16\sqrt{3}\text{ cm}^2 ;; 16\sqrt3
12 \text{ miles per hour} ;; 12 mph
1/2 x ;; x/2
\dfrac{3x}{4} ;; \frac34x
0.75x ;; \frac{3x}{4}
\frac{-b\pm\sqrt{b^2-4ac}}{2a} ;; \frac{-b+\sqrt{b^2-4ac}}{2a},\frac{-b-\sqrt{b^2-4ac}}{2a}
\beta=60^\circ,\alpha=30^\circ ;; \alpha=30^\circ,\beta=60^\circ
f(x)=2x ;; f(t)=2x
Alice: 3, Bob: 5 ;; Bob: 5, Alice: 3
4 girls and 3 boys ;; 3 boys and 4 girls
3,4 ;; 3 boys and 4 girls
$x=1$ and $y=2$ ;; x=1,y=2
\cos 3x ;; \cos(3x)
\ln xy ;; \ln(xy)
\log 2x ;; \log(2x)
\ln\frac{x}{2} ;; \ln x-\ln 2
\ln x^3 ;; 3\ln x
\sin^2 2x ;; \sin(2x)^2
\tan^{-1}(x) ;; \arctan x
sin 2x ;; 2 sin x cos x
sin2x ;; \sin(2x)
\sin{2x} ;; \sin(2x)
2\sin x\cos x ;; \sin 2x
\sin 2\pi t ;; \sin(2\pi t)
\sin x y ;; \sin(xy)
3\text{ m}^3 ;; 3
3 cm2 ;; 3 cm^2
3 cm² ;; 3\text{ cm}^2
3\text{ square cm} ;; 3 cm^2
5\text{ kg}\cdot\text{m/s} ;; 5 kg m/s
\text{3 cm}^2 ;; 3 cm^2
50\text{ m/s} ;; 50\text{ m}\text{ s}^{-1}
cab ;; abc
abcd ;; dcba
2abcd ;; 2dcab
wxyz ;; zyxw
(x)(y) ;; xy
x\times y ;; yx
AB ;; BA
\sqrt{-4} ;; 2i
4i+3 ;; 3+4i
5 ;; |3+4i|
2i\sqrt3 ;; 2\sqrt3 i
\{x \mid x>2\} ;; (2,\infty)
\{x: 1\le x<2\} ;; [1,2)
\frac{\pi}{6}+2k\pi, k\in\mathbb{Z} ;; 2k\pi+\frac{\pi}{6}
1.5 million dollars ;; \$1,500,000
3 million people ;; 3000000
25 per cent ;; 25\%
12 \text{ feet} ;; 12 ft
12 pounds ;; 12 lb
12 pounds ;; £12
1 day ;; 24 hours
72 in ;; 6 ft
1 L ;; 1000 mL
5 ;; 5\text{ units}
5 \text{ square units} ;; 5
\frac{3}{4}\text{ cup} ;; 0.75
|x+1| ;; \sqrt{x^2+2x+1}
2\ln|x-3| ;; \ln(x^2-6x+9)
\sqrt[3]{x^3+3x^2+3x+1} ;; x+1
\sqrt{x^4+2x^2+1} ;; x^2+1
3x \cdot y ;; 3xy
\ln 2x ;; \ln(2x)
\sin 2x ;; \sin(2x)
3 ;; 3\text{ cm}^2
3\text{ cm}^2 ;; 3
3 cm^2 ;; 3\text{ cm}^2
x \cdot y ;; xy
ab ;; a*b
5 kilometers ;; 5 km
\frac{1}{2}x ;; x/2
12 inches ;; 1 foot
\text{Area} = 12 ;; 12
Area = 12 ;; 12
x^{12} ;; x^12
1{,}000{,}000 ;; 1 million
\sqrt{2}\sqrt{3} ;; \sqrt6
\sqrt[4]{4} ;; \sqrt2
\left\{1,2\right\} ;; \{2,1\}
3, 4, 5 ;; 5,4,3
\log_{b} xy ;; \log_b x+\log_b y
\ln(2)x ;; x\ln 2
a^2-b^2 ;; (a-b)(a+b)
\frac{1}{1+\sqrt[3]{2}} ;; \frac{1-\sqrt[3]2+\sqrt[3]4}{3}
\sin^2\theta ;; 1-\cos^2\theta
\frac{5}{9}(F-32) ;; \frac{5F-160}{9}
v_0t+\frac12at^2 ;; \frac{1}{2}at^2+v_0t
\frac{mv^2}{2} ;; \frac12 mv^2
F=ma ;; ma
E=mc^2 ;; mc^2
PV=nRT ;; nRT=PV
y'=2x ;; 2x
f'(x)=2x ;; 2x
\int_0^1 x dx ;; \int_0^1 x dx
100\% ;; 1
1 ;; 100\%
-\frac{1}{2} ;; \frac{-1}{2}
\frac{-1}{-2} ;; \frac12
5:30 ;; 5:30
noon ;; noon
\text{three} ;; three
\text{no solution} ;; no solution
\text{All real numbers} ;; all real numbers
x=3,\; y=4 ;; y=4,x=3
\langle 1,2\rangle ;; (1,2)
\frac{3}{4}\text{ hours} ;; 45 minutes
0.75 h ;; 45 min
12 ;; 12\%
1.00 ;; 1
1.50 ;; \frac32
1e3 ;; 1000
1\times10^{3} ;; 1000
10^{3} ;; 10^3
\pi r^2 ;; r^2\pi
(x-1)(x+1) ;; x^2-1
x(x+1) ;; x^2+x
x^{n}x ;; x^{n+1}
\frac{n(n+1)}{2} ;; \frac{n^2+n}{2}
2^n\cdot 2^n ;; 4^n
(n+1)! ;; (n+1)n!
\frac{(n+1)!}{n!} ;; n+1
90 ;; \frac{10!}{8!}
\sqrt{-1} ;; i
\frac{1+i}{1-i} ;; i
\cos\theta + i\sin\theta ;; e^{i\theta}
\frac{\sqrt{2}}{2} ;; \frac{1}{\sqrt2}
\sin(-x) ;; -\sin x
\cos(-x) ;; \cos x
\arctan(-x) ;; -\arctan x
\sinh x ;; \frac{e^x-e^{-x}}{2}
x \ge 2 ;; [2,\infty)
2 \le x \le 5 ;; [2,5]
x<2 \text{ or } x>5 ;; x>5 or x<2
12 m ;; 12m
7 days ;; 1 week
8 ounces ;; 8 oz
3 ft ;; 1 yard
60 mph ;; 60 miles per hour
60\text{ mi/hr} ;; 60 mph
9.8 \text{ m/s}^2 ;; 9.8
9.8\ \mathrm{m\,s^{-2}} ;; 9.8 m/s^2
5 N ;; 5 kg m/s^2
1 kJ ;; 1000 J
20 \text{ miles per gallon} ;; 20 mpg
x=1 and x=2 ;; x=1 or x=2
x=k\pi and x=2k\pi ;; x=k\pi or x=2k\pi
x<2, x>5 ;; x<2 or x>5
3 slices of pizza ;; 3 pizza slices
3 of the apples ;; 3 apples
5 apples left ;; 5 apples
5 apples left ;; 5 apples remaining
3 boys for every girl ;; 3 boys per girl
3 boys per girl ;; 3 boys
`);

test.each(same)('%s is right for %s', (answer, reference) => {
  expect(isCorrect(answer, reference)).toBe(true);
});

const different = rowsOf(String.raw`
x+10^{-200} ;; x
x+e^{-500} ;; x
3.14159265358979323846264338327950288419716939937510582097494459230781640628620899 ;; \pi
x>3 and x<5 ;; x>3 or x<5
x>3 \lor x<5 ;; x>3 \land x<5
p \land q ;; p \lor q
10 students per class ;; 10 classes per student
10 students ;; 10 classes per student
3 boys for every girl ;; 3 girls for every boy
3 bags of apples ;; 3 apples
5 more than usual ;; 5 less than usual
5 units left ;; 5 units right
20 miles per gallon ;; 20 gallons per mile
3 million ;; 3
3 ;; 3 million
3 billion ;; 3 million
3 am ;; 3 pm
3 ;; 3 pm
3 am ;; 3
2 apples and 3 pears ;; 3 apples and 2 pears
(2,1) ;; x=1,y=2
2,1 ;; x=1,y=2
\sin x^2 ;; (\sin x)^2
\log_2 8 ;; 3
2\ln x ;; \ln x^2
\sqrt[3]{8} ;; 2
3\text{cm} ;; 3 cm^2
3 m ;; 3 cm
2m ;; 2
2 ;; 2m
xy ;; x+y
\begin{pmatrix} 1/3 \\ 1/2 \end{pmatrix} ;; \begin{pmatrix} \frac12 \\ \frac13 \end{pmatrix}
\sqrt[3]{2+\sqrt5}+\sqrt[3]{2-\sqrt5} ;; 1
\sqrt2 ;; 1.41421356237309504880168872
e^{\ln 2x} ;; 2x
e^{i\pi} ;; -1
x\le5 ;; x<5
x=2 ;; y=2
C ;; (B)
12 ;; twelve
\binom{5}{2} ;; 10
x ;; |x|
f(x+y) ;; f(x)+f(y)
5 euros ;; \$5
\infty ;; -\infty
no ;; on
3 apples ;; 3 pears
14:64 ;; 7:32
12:00 ;; 1:00
a_1 ;; a_2
\log_{10} 100 ;; 2
\lfloor 2.5\rfloor ;; 2
[1,2]\cup[3,4) ;; [3,4]\cup[1,2]
2 ;; \pm2
\log_4 8 ;; \frac32
\cosh^2 x-\sinh^2 x ;; 1
x^2y ;; xy^2
6 ;; 6 i
3x ;; 3
2\pi ;; 2
2 ;; 2\pi
7 ;; 7 \text{ thousand}
x^2 ;; x^2y
3 ;; 3!
2a+3 ;; 2a+3b
10 ;; 10n
5 mi ;; 5 m
\alpha=60^\circ,\beta=30^\circ ;; \alpha=30^\circ,\beta=60^\circ
f(1)=3,f(2)=2 ;; f(1)=2,f(2)=3
f(1)=2 ;; f(2)=2
Alice: 5, Bob: 3 ;; Alice: 3, Bob: 5
3 boys, 4 girls ;; 4 boys, 3 girls
\sin x+1 ;; \sin(x+1)
3\text{ cm}^2 ;; 3\text{ cm}^3
50 m/s ;; 50 m/s^2
\frac{\pi}{4} ;; 45^\circ
12 hours ;; 12 days
10 C ;; 10 F
x+1 ;; \sqrt{x^2+2x+1}
3 m ;; 5 m
2 ;; 2xy
2ab ;; 2xy
x^2+3 ;; x^2+3xy
2 x ;; 2 y
x=1,y=2 ;; x=2,y=1
m=3 \text{ and } n=5 ;; m=5 \text{ and } n=3
\ln 2x ;; x \ln 2
3 thousand ;; 3
12\text{ apples} ;; 12 pears
2^{-1} ;; \frac12
e^{2\ln x} ;; x^2
(3,4) ;; (4,3)
\ln(2)x ;; \ln 2x
\theta ;; \alpha
mv^2 ;; mv
PV=nRT ;; nRT
\frac{dy}{dx}=2x ;; 2x
5:30 pm ;; 5:30 am
17:30 ;; 5:30 pm
1st ;; 1
2nd ;; second
3rd ;; 3
0 ;; \emptyset
a = 2, b = -1 ;; a=-1,b=2
\begin{bmatrix}1&2\\3&4\end{bmatrix} ;; \begin{bmatrix}1&3\\2&4\end{bmatrix}
\begin{vmatrix}1&2\\3&4\end{vmatrix} ;; -2
12\% ;; 12
\$12 ;; 12 euros
12 cents ;; \$12
10^3 ;; 1000
\frac{22}{7} ;; \pi
3.14 ;; \pi
2\pi ;; 6.283185307179586
\tan 45^\circ ;; 1
\frac{10!}{8!} ;; 90
3 + 4i ;; 3 - 4i
i^2 ;; -1
\overline{z} ;; z
\ln e ;; 1
\log 1000 ;; 3
x > 2 ;; [2,\infty)
2<x<5 ;; (2,5]
[2,5] \cap [3,7] ;; [3,5]
4n ;; 4
4 ;; 4n
4 n ;; 4
9.8 m/s ;; 9.8 m/s^2
`);

test.each(different)('%s is wrong for %s', (answer, reference) => {
  expect(isCorrect(answer, reference)).toBe(false);
});

test('a number that letters or a word of scale join is read with them, also where it is not boxed', () => {
  const last = (solution: string) => verify(solution, '3').answer;
  expect(last('We get 3xy.')).toBe('3xy.');
  expect(last('The area is $3\\pi$.')).toBe('$3\\pi');
  expect(last('There are 3 million')).toBe('3 million');
  expect(last('It starts at 3 p.m.')).toBe('3 p.m.');
  expect(verify('There are 3 million', '3').isCorrect).toBe(false);
  expect(verify('There are 3 million of them', '3000000').isCorrect).toBe(true);
});

test.each([
  ['So the final answer is \\(12\\).', '12'],
  ['The answer is 12!', '12'],
  ['\\boxed{=12}', '12'],
  ['The answer is $x=1$ and $y=2$.', 'x=1,y=2'],
  ['Therefore the total is $1,234.50.', '1234.5'],
  ['\\boxed{\\text{I and II}}', 'I and II'],
])('%s states %s', (solution, reference) => {
  expect(verify(solution, reference).isCorrect).toBe(true);
});

test('boxes with a comma or a word between them are one list', () => {
  expect(verify('\\boxed{2}, \\boxed{3} and \\boxed{5}', '2, 3, 5').isCorrect).toBe(true);
  expect(verify('\\boxed{2} is wrong, so \\boxed{3}', '3').isCorrect).toBe(true);
  expect(verify('$\\boxed{-2} \\quad \\text{and} \\quad \\boxed{1}$', '1, -2').isCorrect).toBe(true);
});
