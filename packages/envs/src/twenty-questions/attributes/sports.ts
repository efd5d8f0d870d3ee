// Attributes of things used in sports.
import type { AttributeRow } from './attribute.js';

export const sportsAttributes: readonly AttributeRow[] = [
  {
    name: 'sports_equipment',
    ask: ['is it sports equipment?', 'is it used in sports?'],
    also: [
      'is it used in a sport?',
      'is it used for sports?',
      'is it related to sports?',
      'is it a sports item?',
      'is it a piece of sports equipment?',
      'is it used by athletes?',
      'is it sporting equipment?',
      'is it associated with sports?',
      'is it used to play sports?',
      'is it sport equipment?',
      'is it a sports object?',
      'do athletes use it?',
      'is it related to sport?',
      'does it have to do with sports?',
    ],
    yes: '@sports',
    unclear: 'shoes, socks, shirt, horse, gloves',
  },
  {
    name: 'sport_with_racket_or_bat',
    ask: ['is it hit with a club?', 'do you hit it with something?'],
    also: ['do players hit it with something?'],
    yes: 'baseball, golf ball, tennis ball',
    unclear: 'drum, lego',
  },
  {
    name: 'kick',
    ask: ['do you kick it?', 'is it kicked?'],
    also: ['can you kick it?', 'do players kick it?'],
    yes: 'soccer ball, football',
    unclear: 'volleyball',
  },
  {
    name: 'hoop',
    ask: ['do you throw it in a hoop?', 'do you dribble it?'],
    also: [
      'is it thrown through a hoop?',
      'is it used in the nba?',
      'do you shoot it through a hoop?',
      'do you throw it through a hoop?',
    ],
    yes: 'basketball',
  },
  {
    name: 'net',
    ask: ['do you hit it over a net?', 'is it hit over a net?'],
    also: ['does it go over a net?'],
    yes: 'tennis ball, volleyball',
  },
  {
    name: 'baseball_game',
    ask: ['is it used in baseball games?', 'do players use it in baseball games?'],
    also: [
      'is it used in baseball?',
      'is it used to play baseball?',
      'is it used in the game of baseball?',
      'is it baseball equipment?',
    ],
    yes: 'baseball, baseball bat, helmet',
    unclear: 'gloves, hat, shoes, pants, belt, shirt, socks',
  },
  {
    name: 'tennis_game',
    ask: ['is it used to play tennis?', 'is it used in tennis?'],
    also: ['is it used on a tennis court?', 'is it for tennis?'],
    yes: 'tennis ball, tennis racket',
    unclear: 'shoes, skirt, shirt, socks, hat',
  },
  {
    name: 'golf',
    ask: ['is it used to play golf?', 'is it used in golf?'],
    also: ['is it used on a golf course?', 'is it for golf?'],
    yes: 'golf ball',
    unclear: 'gloves, shoes, hat, lawn mower, shirt, pants',
  },
  {
    name: 'filled_with_air',
    ask: ['is it filled with air?', 'is it inflated?'],
    also: ['is it inflatable?', 'do you pump it up?', 'can you inflate it?'],
    yes: 'basketball, football, soccer ball, volleyball',
    unclear: 'tennis ball, mattress, boat, pillow',
  },
  {
    name: 'oval',
    ask: ['is it oval?', 'is it pointed at both ends?'],
    also: ['is it shaped like an oval?', 'is it oval shaped?'],
    yes: 'football',
    unclear:
      'mango, potato, lake, grape, watermelon, tennis racket, locket, pendant, brooch, cantaloupe, spoon, plate, lego, table, cucumber, strawberry',
  },
];
