// Attributes one can see or feel: colour, shape, material, weight.
import type { AttributeRow } from './attribute.js';

/** Things sold in any colour: asked about one colour, the honest answer is that it depends. */
const anyColor =
  '@clothes, @vehicles, @furniture, @toys, @tools, @jewelry, @garden, @art, @kitchen, @electronics, @instruments, ' +
  'volleyball, soccer ball, tennis racket, baseball bat, helmet, golf ball, pen, paper, stapler, printer, calculator, ' +
  'battery, toothbrush, pencil, sharpie, scissors, key, diary, calendar';

export const appearanceAttributes: readonly AttributeRow[] = [
  {
    name: 'red',
    ask: ['is it red?', 'is it red in color?'],
    also: ['is its color red?', 'is it red colored?'],
    yes: 'strawberry, tomato',
    unclear: `apple, grape, onion, watermelon, peach, mango, potato, ${anyColor}`,
  },
  {
    name: 'yellow',
    ask: ['is it yellow?', 'is it yellow in color?'],
    also: ['is its color yellow?', 'is it yellow colored?'],
    yes: 'banana, corn, tennis ball',
    unclear: `apple, mango, pineapple, peach, potato, onion, lion, dog, tree, ${anyColor}`,
  },
  {
    name: 'green',
    ask: ['is it green?', 'is it green in color?'],
    also: ['is its color green?', 'is it green colored?'],
    yes: 'broccoli, spinach, peas, celery, cucumber, cactus, bush, tree, forest',
    unclear: `apple, grape, watermelon, mango, pineapple, tennis ball, banana, tomato, ocean, sea, lake, river, mountain, cantaloupe, ${anyColor}`,
  },
  {
    name: 'orange_color',
    ask: ['is it orange in color?', 'is it orange colored?'],
    also: ['is its color orange?', 'is it orange?', 'is it the color orange?'],
    yes: 'orange, carrot, basketball, tiger',
    unclear: `cantaloupe, peach, mango, cat, ${anyColor}`,
  },
  {
    name: 'blue',
    ask: ['is it blue?', 'is it blue in color?'],
    also: ['is its color blue?', 'is it blue colored?'],
    yes: 'ocean, sea',
    unclear: `lake, river, mountain, ${anyColor}`,
  },
  {
    name: 'ball',
    ask: ['is it a ball?', 'is it a kind of ball?'],
    yes: 'basketball, football, baseball, soccer ball, golf ball, tennis ball, volleyball',
  },
  {
    name: 'round',
    ask: ['is it round?', 'is it round in shape?'],
    also: ['is it circular?', 'is it a circle?', 'is it shaped like a circle?', 'is it in the shape of a circle?'],
    yes: 'basketball, baseball, soccer ball, golf ball, tennis ball, volleyball, orange, apple, grape, watermelon, cantaloupe, peach, tomato, onion, peas, plate, bowl, ring, bracelet, drum',
    unclear:
      'helmet, pan, cooking pot, cup, watch, locket, pendant, necklace, earring, potato, hat, lake, meteorite, rock, tennis racket, battery, mango, brooch, strawberry, table, belt, cactus, pillow, doll, football',
  },
  {
    name: 'spherical',
    ask: ['is it a sphere?', 'is it shaped like a ball?'],
    also: ['is it spherical?', 'is it ball shaped?', 'is it a spherical object?'],
    yes: 'basketball, baseball, soccer ball, golf ball, tennis ball, volleyball, orange, watermelon, cantaloupe, grape, peas',
    unclear: 'apple, peach, tomato, onion, potato, meteorite, rock',
  },
  {
    name: 'long_and_thin',
    ask: ['is it long and thin?', 'is it shaped like a stick?'],
    also: ['is it stick shaped?', 'is it long and narrow?', 'is it a long thin object?'],
    yes: 'baseball bat, carrot, celery, pen, pencil, toothbrush, sharpie, marker, paintbrush, chopstick, flute, clarinet, shovel, rake, screwdriver',
    unclear:
      'banana, cucumber, belt, scarf, spoon, fork, knife, trombone, train, river, necklace, whisk, saw, wrench, trumpet, hammer, tennis racket, key, corn, saxophone, hairclip, bracelet, tree, cactus',
  },
  {
    name: 'flat',
    ask: ['is it flat?', 'is it thin and flat?'],
    yes: 'paper, painting, canvas, calendar, plate, smartphone, computer keyboard, monitor, television, key',
    unclear:
      'puzzle, mattress, table, desk, belt, scarf, kite, saw, calculator, computer, pan, lake, diary, knife, scissors, locket, pendant, tennis racket, hairclip, ocean, sea, brooch, bed, watch, shirt, pants, dress, skirt, socks, gloves, hat',
  },
  {
    name: 'rectangular',
    ask: ['is it rectangular?', 'is it shaped like a box?'],
    also: ['is it a rectangle?', 'is it square?', 'is it box shaped?', 'is it shaped like a rectangle?'],
    yes: 'microwave, refrigerator, television, monitor, smartphone, printer, calculator, computer keyboard, mattress, bed, desk, dresser, bookcase, nightstand, paper, canvas, painting, calendar, diary, bus, pillow',
    unclear:
      'table, computer, camera, truck, train, lego, eraser, puzzle, battery, stapler, couch, chair, piano, scarf, watch, toothpaste, car, locket, pendant, kite, lake',
  },
  {
    name: 'metal',
    ask: ['is it made of metal?', 'is it metal?'],
    also: [
      'is it metallic?',
      'is it mostly metal?',
      'is it made out of steel?',
      'is it made of iron?',
      'is it a metal object?',
    ],
    yes: 'car, truck, motorcycle, airplane, train, bus, helicopter, ship, scooter, refrigerator, microwave, saxophone, trumpet, trombone, flute, stapler, scissors, key, knife, spoon, fork, cooking pot, pan, whisk, shovel, lawn mower, hammer, screwdriver, wrench, saw, pliers, earring, necklace, bracelet, ring, brooch, watch, locket',
    unclear:
      'boat, harp, rake, watering can, drill, pendant, hairclip, battery, belt, meteorite, sculpture, cup, bowl, plate, bed, chair, table, desk, computer, smartphone, television, monitor, camera, blender, pen, baseball bat, drum, bookcase, chopstick, printer, piano, clarinet, helmet, headphone, dresser, nightstand',
  },
  {
    name: 'wood',
    ask: ['is it made of wood?', 'is it wooden?'],
    also: ['does it contain wood?', 'is it mostly wood?', 'is it a wooden object?'],
    yes: 'piano, guitar, violin, clarinet, harp, chair, table, desk, dresser, bookcase, nightstand, pencil, tree, baseball bat, chopstick',
    unclear:
      'drum, bed, bush, forest, paintbrush, boat, ship, sculpture, hammer, shovel, rake, spoon, bowl, puzzle, saw, flute, canvas, painting, paper, couch, doll, kite, tennis racket, screwdriver, plate, cup, diary, train, necklace, bracelet, earring, pendant, brooch, ring',
  },
  {
    name: 'plastic',
    ask: ['is it made of plastic?', 'is it plastic?'],
    also: ['does it contain plastic?', 'is it mostly plastic?', 'is it a plastic object?'],
    yes: 'lego, pen, calculator, toothbrush, computer keyboard, sharpie, marker, printer',
    unclear:
      '@sports, @vehicles, @jewelry, @tools, @garden, headphone, monitor, blender, doll, smartphone, camera, television, computer, stapler, chair, table, desk, bookcase, glue, toothpaste, kite, puzzle, shoes, boots, belt, chopstick, cup, plate, bowl, spoon, fork, knife, refrigerator, microwave, eraser, scissors, drum, flute, clarinet, sculpture, battery, paintbrush, jacket, hat, pillow, whisk, key, pencil, nightstand, mattress, couch, pan, cooking pot, piano, guitar, saxophone, trumpet, trombone, dresser',
  },
  {
    name: 'paper',
    ask: ['is it a paper product?', 'is it made from paper mostly?'],
    also: ['is it made of paper?', 'is it made out of paper?', 'is it made from paper?'],
    yes: 'paper, diary, calendar',
    unclear: 'puzzle, kite, painting, cup, plate, canvas, sculpture, doll',
  },
  {
    name: 'fabric',
    ask: ['is it made of fabric?', 'is it made of cloth?'],
    also: [
      'is it made of cotton?',
      'is it cloth?',
      'is it a textile?',
      'is it made of material like cotton?',
      'is it soft fabric?',
    ],
    yes: 'shirt, pants, jacket, dress, skirt, socks, scarf, canvas, pillow, hat',
    unclear:
      'mattress, couch, doll, gloves, belt, shoes, boots, painting, kite, bed, chair, calendar, headphone, helmet, bracelet, necklace, hairclip',
  },
  {
    name: 'leather',
    ask: ['is it made of leather?', 'is it leather?'],
    yes: 'football, baseball',
    unclear:
      'belt, boots, shoes, jacket, gloves, basketball, volleyball, soccer ball, couch, chair, pants, skirt, hat, watch, diary, bracelet, necklace, helmet, drum, cow, bed, dress',
  },
  {
    name: 'rubber',
    ask: ['is it made of rubber?', 'is it rubber?'],
    yes: 'eraser',
    unclear: '@sports, boots, shoes, gloves, belt, pan, bracelet, doll, lego, watch, mattress',
  },
  {
    name: 'glass',
    ask: ['is it made of glass?', 'is it glass?'],
    also: ['does it contain glass?', 'is it mostly glass?', 'is it a glass object?'],
    yes: '',
    unclear:
      'monitor, television, smartphone, cup, bowl, plate, camera, sculpture, watch, blender, table, desk, car, truck, bus, train, microwave, cooking pot, pan, @jewelry, painting, computer, bookcase, helicopter, airplane, ship, boat',
  },
  {
    name: 'ceramic',
    ask: ['is it made of clay?', 'is it ceramic?'],
    also: ['is it made of porcelain?', 'is it made of ceramic?'],
    yes: '',
    unclear:
      'plate, bowl, cup, sculpture, cooking pot, pan, doll, knife, pendant, necklace, bracelet, earring, brooch, flute',
  },
  {
    name: 'precious',
    ask: ['is it made of gold?', 'is it made of silver?'],
    also: [
      'is it gold?',
      'is it silver?',
      'does it have gems?',
      'does it have diamonds?',
      'is it made of precious metal?',
      'is it made of diamond?',
    ],
    yes: '',
    unclear:
      '@jewelry, spoon, fork, knife, cup, trumpet, saxophone, trombone, flute, plate, bowl, sculpture, belt, key, harp, car, smartphone, computer, whisk, cooking pot, pan, refrigerator, pen',
  },
  {
    name: 'soft',
    ask: ['is it soft?', 'is it soft to touch?'],
    also: [
      'does it feel soft?',
      'is it cushioned?',
      'is it squishy?',
      'is it comfortable to lie on?',
      'is it comfortable?',
      'can you squeeze it?',
    ],
    yes: 'pillow, mattress, couch, socks, scarf, shirt, sheep, cat, rabbit, bed',
    unclear:
      'doll, tennis ball, banana, peach, strawberry, tomato, mango, dog, gloves, hat, jacket, dress, skirt, pants, shoes, boots, chair, eraser, toothpaste, paintbrush, orange, grape, bush, horse, cow, lion, tiger, bear, toothbrush, volleyball, paper, belt, spinach, ocean, sea, lake, river, headphone, canvas',
  },
  {
    name: 'sharp',
    ask: ['is it sharp?', 'can it cut you?'],
    also: [
      'does it have a sharp edge?',
      'does it have sharp edges?',
      'could you cut yourself with it?',
      'is it pointy and sharp?',
    ],
    yes: 'knife, scissors, saw',
    unclear:
      'fork, pencil, screwdriver, drill, rake, shovel, cactus, brooch, earring, paper, pen, rock, lawn mower, blender, stapler, lion, tiger, cat, bear, hairclip, meteorite, key, pineapple, chopstick, pliers, harp, plate, cup, sculpture, lego, mountain, bush, bracelet, ring, necklace, pendant',
  },
  {
    name: 'blade',
    ask: ['does it have a blade?', 'does it have blades?'],
    yes: 'knife, scissors, saw, lawn mower, blender, helicopter',
    unclear: 'pliers, shovel, screwdriver, drill, airplane, boat, ship, whisk',
  },
  {
    name: 'prickly',
    ask: ['is it prickly?', 'does it have spikes?'],
    also: ['is it spiky?', 'does it have needles?', 'does it have prickles?', 'is it covered in needles?'],
    yes: 'cactus',
    unclear: 'pineapple, bush, tree, forest, rake, bracelet, necklace, belt, hairclip, fork, saw, shoes, boots',
  },
  {
    name: 'handle',
    ask: ['does it have a handle?', 'has it got a handle?'],
    yes: 'tennis racket, baseball bat, knife, spoon, fork, pan, whisk, toothbrush, paintbrush, shovel, rake, watering can, lawn mower, hammer, screwdriver, saw, pliers, drill, scissors, refrigerator, microwave, wrench',
    unclear:
      'cooking pot, cup, dresser, nightstand, desk, scooter, motorcycle, car, truck, bus, train, airplane, helicopter, boat, ship, blender, drum, printer, camera, stapler, harp, headphone, kite, bowl, table, couch, mattress, computer, monitor',
  },
];
