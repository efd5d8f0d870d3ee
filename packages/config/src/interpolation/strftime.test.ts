import { strftime } from './strftime.js';

// Saturday 6 January 2024, 7:05:09.042 in the afternoon, local time: day 6, ISO week 1, Sunday-based week 0, Monday-based week 1.
const time = new Date(2024, 0, 6, 19, 5, 9, 42);

test.each([
  ['%Y-%m-%d', '2024-01-06'],
  ['%H-%M-%S', '19-05-09'],
  ['%I:%M %p', '07:05 PM'],
  ['%a %A %b %B', 'Sat Saturday Jan January'],
  ['%j', '006'],
  ['%y %C', '24 20'],
  ['%f', '042000'],
  ['%u %w', '6 6'],
  ['%U %W %V %G', '00 01 01 2024'],
  ['%e|%%|%n', ' 6|%|\n'],
  ['%D %T %R %F', '01/06/24 19:05:09 19:05 2024-01-06'],
  ['plain %Q', 'plain %Q'],
])('%s', (format, text) => {
  expect(strftime(time, format)).toBe(text);
});
