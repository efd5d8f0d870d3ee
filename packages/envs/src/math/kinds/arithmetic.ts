// Generates problems of addition, subtraction and multiplication, whose written solutions work digit by digit.
import { inSteps, type Kind, type Worked } from './kind.js';

export const arithmetic: Kind = (rng, level) => {
  const digits = level + 1;
  const number = () => rng.integer(10 ** (digits - 1), 10 ** digits - 1);
  const operation = rng.integer(0, level === 1 ? 1 : 2);
  if (operation === 0) return addition(number(), number());
  if (operation === 2) return multiplication(number(), level === 2 ? rng.integer(2, 9) : rng.integer(12, 99));
  const [a, b] = [number(), number()];
  return subtraction(Math.max(a, b), Math.min(a, b));
};

const digitsFromRight = (n: number) => [...String(n)].reverse().map(Number);

function addition(a: number, b: number): Worked {
  const steps: string[] = [];
  const [upper, lower] = [digitsFromRight(a), digitsFromRight(b)];
  for (let place = 0, carry = 0; place < upper.length; place++) {
    const [x, y] = [upper[place], lower[place] ?? 0];
    const sum = x + y + carry;
    steps.push(`${x} + ${y}${carry ? ' + 1' : ''} = ${sum}`);
    carry = sum >= 10 ? 1 : 0;
  }
  return { question: `What is ${a} + ${b}?`, steps: inSteps(...steps), answer: String(a + b) };
}

/** Writes the solution of a − b digit by digit. @param a at least b */
function subtraction(a: number, b: number): Worked {
  const steps: string[] = [];
  const [upper, lower] = [digitsFromRight(a), digitsFromRight(b)];
  for (let place = 0, borrow = 0; place < upper.length; place++) {
    const [x, y] = [upper[place], lower[place] ?? 0];
    const needs = x - y - borrow < 0;
    const minuend = needs ? x + 10 : x;
    steps.push(`${minuend} - ${y}${borrow ? ' - 1' : ''} = ${minuend - y - borrow}`);
    borrow = needs ? 1 : 0;
  }
  return { question: `What is ${a} - ${b}?`, steps: inSteps(...steps), answer: String(a - b) };
}

function multiplication(a: number, b: number): Worked {
  const parts = digitsFromRight(b)
    .map((digit, place) => digit * 10 ** place)
    .filter((part) => part > 0);
  const products = parts.map((part) => `${a} * ${part} = ${a * part}`);
  const sum = parts.length > 1 ? [`${parts.map((part) => a * part).join(' + ')} = ${a * b}`] : [];
  return { question: `What is ${a} * ${b}?`, steps: inSteps(...products, ...sum), answer: String(a * b) };
}
