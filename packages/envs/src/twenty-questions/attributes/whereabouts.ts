// Where a thing is found, whether one can carry it, what it costs.
import type { AttributeRow } from './attribute.js';

export const whereaboutsAttributes: readonly AttributeRow[] = [
  {
    name: 'bedroom',
    ask: ['is it found in a bedroom?', 'do you see it in a bedroom?'],
    also: [
      'is it kept in the bedroom?',
      'is it in the bedroom?',
      'is it used in the bedroom?',
      'is it a bedroom item?',
      'do you find it in a bedroom?',
      'do you use it in the bedroom?',
    ],
    yes: 'bed, dresser, nightstand, mattress, pillow',
    unclear:
      '@clothes, @jewelry, @toys, desk, chair, bookcase, television, diary, smartphone, computer, headphone, cat, dog, table, couch, painting, guitar, key, monitor, computer keyboard, calendar, gloves, rabbit, camera, violin, flute, cup, pen, pencil, paper',
  },
  {
    name: 'living_room',
    ask: ['is it found in a living room?', 'is it kept in the living room?'],
    also: [
      'is it in the living room?',
      'is it used in the living room?',
      'do you find it in a living room?',
      'is it living room furniture?',
    ],
    yes: 'couch, television',
    unclear:
      '@toys, table, chair, bookcase, piano, painting, pillow, cat, dog, sculpture, guitar, harp, computer, smartphone, camera, headphone, cactus, cup, plate, bowl, calendar, violin, desk, nightstand, printer, monitor, computer keyboard, rabbit, paper, pen, key, diary',
  },
  {
    name: 'indoors',
    ask: ['is it usually found indoors?', 'is it kept indoors?'],
    also: [
      'is it found indoors?',
      'is it found inside?',
      'is it used indoors?',
      'is it an indoor thing?',
      'do you use it indoors?',
      'is it mostly used indoors?',
      'is it found in a house?',
      'do you find it in a house?',
      'is it a household item?',
      'is it found in the home?',
      'is it found inside a house?',
      'do you keep it in the house?',
      'do you use it inside?',
      'is it found in most homes?',
      'is it something you find in a house?',
      'is it in your house?',
      'is it found at home?',
      'is it used in the house?',
      'is it used around the house?',
      'is it a household object?',
      'is it a common household item?',
      'do you have it at home?',
      'do you find it at home?',
    ],
    yes: '@furniture, @kitchen, computer, television, monitor, microwave, refrigerator, blender, computer keyboard, piano, painting, puzzle, pen, paper, stapler, printer, calculator, toothbrush, toothpaste, pencil, scissors, diary, calendar, eraser, glue, lego, doll',
    unclear:
      '@sports, @clothes, @jewelry, @instruments, -piano, @fruits, @vegetables, @tools, cat, dog, rabbit, smartphone, headphone, camera, battery, sharpie, key, paintbrush, canvas, marker, sculpture, gloves, cactus, bush, tree, shovel, rake, watering can, lawn mower, scooter, kite',
  },
  {
    name: 'outdoors',
    ask: ['is it usually found outdoors?', 'is it found outside?'],
    also: [
      'is it found outdoors?',
      'is it used outdoors?',
      'is it used outside?',
      'do you use it outside?',
      'is it an outdoor thing?',
      'do you use it outdoors?',
      'is it mostly used outdoors?',
      'is it kept outside?',
      'do you see it outside?',
      'do you find it outside?',
      'is it outdoors?',
    ],
    yes: '@vehicles, @nature, horse, cow, sheep, lion, tiger, bear, elephant, shovel, rake, watering can, lawn mower, kite',
    unclear:
      '@sports, @clothes, @jewelry, @instruments, -piano, @fruits, @vegetables, @tools, cat, dog, rabbit, smartphone, headphone, camera, battery, sharpie, key, paintbrush, canvas, marker, sculpture, gloves, chair, table, paper, cup, doll, pen',
  },
  {
    name: 'too_heavy_to_lift',
    ask: ['is it too heavy to lift?', 'is it too heavy for one person to carry?'],
    yes: 'car, truck, motorcycle, airplane, train, bus, helicopter, ship, horse, cow, lion, tiger, bear, elephant, piano, refrigerator, tree, mountain, forest, ocean, sea, lake, river',
    unclear:
      'boat, couch, bed, dresser, desk, table, bookcase, mattress, sheep, bush, meteorite, rock, sculpture, harp, lawn mower, dog, cactus, scooter, television, printer',
  },
  {
    name: 'fits_in_pocket',
    ask: ['does it fit in a pocket?', 'can you put it in your pocket?'],
    also: [
      'does it fit in your pocket?',
      'can it fit in a pocket?',
      'can it fit in your pocket?',
      'is it pocket sized?',
      'do you carry it in your pocket?',
    ],
    yes: 'golf ball, smartphone, pen, battery, pencil, sharpie, key, eraser, marker, earring, necklace, bracelet, ring, brooch, hairclip, pendant, watch, locket, grape, strawberry, peas',
    unclear:
      'paper, toothbrush, socks, gloves, calculator, scissors, diary, glue, tennis ball, baseball, apple, orange, peach, carrot, spoon, fork, screwdriver, pliers, toothpaste, lego, chopstick, rock, scarf, paintbrush, camera, headphone, banana, tomato, potato, onion, broccoli, spinach, celery, stapler, doll, hat, meteorite, wrench, knife, belt, flute, puzzle, calendar, mango, cucumber, corn',
  },
  {
    name: 'expensive',
    ask: ['is it expensive?', 'does it cost a lot?'],
    also: [
      'is it costly?',
      'does it cost a lot of money?',
      'is it pricey?',
      'does it cost more than 1000 dollars?',
      'does it cost thousands of dollars?',
    ],
    yes: 'car, truck, airplane, train, bus, helicopter, ship, piano, harp',
    unclear:
      '@jewelry, @instruments, @furniture, @electronics, boat, motorcycle, scooter, painting, sculpture, horse, cow, lion, tiger, bear, elephant, cat, dog, drill, lawn mower, printer, meteorite, jacket, dress, shoes, boots, sheep, tree, mountain, forest, lake, tennis racket, helmet, belt, pants, shirt, skirt, hat, scarf, lego, doll, pen, rabbit, river, ocean, sea, bush',
  },
];
