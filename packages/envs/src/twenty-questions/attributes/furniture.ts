// Attributes of furniture.
import type { AttributeRow } from './attribute.js';

export const furnitureAttributes: readonly AttributeRow[] = [
  {
    name: 'furniture',
    ask: ['is it furniture?', 'is it a piece of furniture?'],
    also: ['is it a type of furniture?', 'is it an item of furniture?', 'is it used to furnish a room?'],
    yes: '@furniture, -pillow, -mattress',
    unclear: 'pillow, mattress',
  },
  {
    name: 'sit',
    ask: ['do you sit on it?', 'is it used for sitting?'],
    also: [
      'can you sit on it?',
      'is it something you sit on?',
      'is it meant for sitting?',
      'is it used to sit on?',
      'do people sit on it?',
      'is it a seat?',
      'is it made for sitting?',
    ],
    yes: 'chair, couch',
    unclear: 'bed, mattress, horse, motorcycle, rock, pillow, scooter, elephant, table, desk, lawn mower',
  },
  {
    name: 'sleep',
    ask: ['do you sleep on it?', 'is it used for sleeping?'],
    also: [
      'can you sleep on it?',
      'do people sleep on it?',
      'is it something you sleep on?',
      'is it used to sleep?',
      'is it used to sleep on?',
      'do you lie on it?',
      'do you use it to sleep?',
      'do you use it when you sleep?',
      'do you lay on it?',
      'is it bedding?',
    ],
    yes: 'bed, mattress, pillow',
    unclear: 'couch, train, boat, ship, airplane',
  },
  {
    name: 'head_rest',
    ask: ['do you put your head on it?', 'does it have feathers in it?'],
    also: ['do you rest your head on it?', 'does it support your head?', 'do you lay your head on it?'],
    yes: 'pillow',
    unclear: 'bed, couch, jacket',
  },
  {
    name: 'seats_several',
    ask: ['is it a long seat?', 'does it seat three people?'],
    also: [
      'can several people sit on it?',
      'does it seat more than one person?',
      'can more than one person sit on it?',
      'can multiple people sit on it?',
      'is it upholstered?',
    ],
    yes: 'couch',
    unclear:
      'bed, horse, motorcycle, elephant, scooter, mattress, car, bus, truck, train, airplane, helicopter, boat, ship, table, rock',
  },
  {
    name: 'drawers',
    ask: ['does it have drawers?', 'does it have a drawer?'],
    yes: 'dresser, nightstand, desk',
    unclear: 'refrigerator, bed, table, printer',
  },
  {
    name: 'shelves',
    ask: ['does it have shelves?', 'does it hold books?'],
    also: [
      'do you put books on it?',
      'is it used to hold books?',
      'do you store books in it?',
      'is it used to store books?',
      'do books go on it?',
    ],
    yes: 'bookcase',
    unclear: 'refrigerator, nightstand, desk, dresser, table',
  },
  {
    name: 'stores_clothes',
    ask: ['do you keep clothes in it?', 'is it used to store clothes?'],
    also: [
      'do you put clothes in it?',
      'does it hold clothes?',
      'do you store clothes in it?',
      'is it for storing clothes?',
    ],
    yes: 'dresser',
    unclear: 'nightstand, bed, bookcase',
  },
  {
    name: 'beside_bed',
    ask: ['does it stand beside a bed?', 'is it found next to a bed?'],
    also: [
      'is it beside the bed?',
      'is it next to the bed?',
      'do you put it next to your bed?',
      'is it beside your bed?',
      'is it kept next to the bed?',
    ],
    yes: 'nightstand',
    unclear: 'desk, chair, table',
  },
  {
    name: 'flat_top',
    ask: ['does it have a flat top?', 'does it have a flat surface?'],
    also: ['do you put things on it?', 'can you put things on top of it?', 'do you put things on top of it?'],
    yes: 'table, desk, nightstand, dresser',
    unclear:
      'bookcase, piano, chair, bed, mattress, refrigerator, microwave, plate, paper, calendar, painting, canvas, printer, truck, rock, television, monitor, smartphone, computer, lake, pan',
  },
];
