// Attributes that players ask about early whatever the object: handling, danger, noise, movement, use in general.
import type { AttributeRow } from './attribute.js';

/** Small enough for one hand, whatever the specimen. */
const handy =
  'golf ball, baseball, tennis ball, tennis racket, baseball bat, apple, banana, orange, strawberry, grape, mango, peach, ' +
  'belt, socks, smartphone, camera, flute, pen, paper, stapler, calculator, toothbrush, toothpaste, pencil, sharpie, ' +
  'scissors, key, diary, carrot, potato, broccoli, tomato, onion, corn, peas, celery, cucumber, paintbrush, eraser, marker, ' +
  'glue, knife, spoon, fork, plate, cup, chopstick, whisk, doll, @jewelry, gloves, hammer, screwdriver, wrench, saw, pliers';

const colored =
  '@clothes, @vehicles, @furniture, @toys, @tools, @jewelry, @garden, @art, @kitchen, @electronics, @instruments';

export const commonAttributes: readonly AttributeRow[] = [
  {
    name: 'held_in_one_hand',
    ask: ['can you hold it in one hand?', 'do you hold it in your hand?'],
    also: [
      'can you hold it in your hand?',
      'can you hold it with one hand?',
      'is it handheld?',
      'is it hand held?',
      'does it fit in your hand?',
      'can you hold it?',
      'is it held in the hand?',
      'does it fit in one hand?',
      'can it fit in your hand?',
      'can you pick it up with one hand?',
      'can you hold it in the palm of your hand?',
    ],
    yes: handy,
    unclear:
      '@sports, @clothes, cat, dog, rabbit, watermelon, pineapple, cantaloupe, computer, headphone, blender, computer keyboard, monitor, guitar, drum, violin, saxophone, trumpet, clarinet, trombone, pillow, battery, calendar, spinach, painting, canvas, sculpture, bowl, cooking pot, pan, rock, meteorite, cactus, lego, kite, puzzle, shovel, rake, watering can, drill, chair, printer, scooter, harp',
  },
  {
    name: 'dangerous',
    ask: ['is it dangerous?', 'can it hurt you?'],
    also: [
      'is it harmful?',
      'could it hurt you?',
      'can it be dangerous?',
      'can it kill you?',
      'is it a weapon?',
      'can it injure you?',
    ],
    yes: 'lion, tiger, bear, knife, saw',
    unclear:
      '@vehicles, @nature, @sports, @garden, @tools, elephant, dog, cat, horse, cow, sheep, rabbit, scissors, fork, battery, microwave, blender, pan, cooking pot, glue, pencil, pen, stapler, smartphone, chopstick, key, lego, refrigerator, television, belt, plate, cup, brooch, earring, bookcase, dresser, onion, peas, grape, piano',
  },
  {
    name: 'makes_noise',
    ask: ['does it make noise?', 'is it loud?'],
    also: [
      'does it make sounds?',
      'does it make a sound?',
      'can it make noise?',
      'is it noisy?',
      'does it produce sound?',
      'can it make a sound?',
      'does it make a noise?',
      'does it make a lot of noise?',
    ],
    yes: '@animals, -rabbit, @instruments, car, truck, motorcycle, airplane, train, bus, helicopter, ship, television, smartphone, headphone, blender, drill, lawn mower',
    unclear:
      'rabbit, boat, scooter, computer, microwave, refrigerator, printer, camera, hammer, saw, ocean, sea, river, watch, basketball, doll, stapler, computer keyboard, forest, toothbrush, tree, monitor, lake, scissors, volleyball, baseball bat, tennis racket, football, soccer ball, shoes, boots, calculator, whisk',
  },
  {
    name: 'moves',
    ask: ['does it move?', 'can it move?'],
    also: ['does it move around?', 'can it move around?'],
    yes: '@animals, @vehicles',
    unclear:
      'river, ocean, sea, lake, kite, lawn mower, meteorite, watch, blender, drill, printer, tree, bush, @sports, -helmet, lego, doll, saw, scissors, chair, cactus',
  },
  {
    name: 'moves_by_itself',
    ask: ['can it move on its own?', 'can it move by itself?'],
    also: ['does it move on its own?', 'does it move by itself?', 'is it self propelled?'],
    yes: '@animals',
    unclear: '@vehicles, river, ocean, sea, lake, lawn mower, meteorite, watch, doll, lego',
  },
  {
    name: 'swims',
    ask: ['can it swim?', 'does it swim?'],
    yes: 'dog, tiger, bear, elephant, horse, cow, lion, sheep, rabbit, cat',
  },
  {
    name: 'floats',
    ask: ['does it float on water?', 'does it float?'],
    also: ['can it float?', 'can it float on water?', 'does it float in water?'],
    yes: 'boat, ship, apple, basketball, volleyball, soccer ball, football, tennis ball, watermelon, banana, baseball bat, pencil, orange',
    unclear:
      '@animals, @clothes, @furniture, @toys, @instruments, -piano, -trumpet, -trombone, -saxophone, @fruits, @vegetables, @art, @kitchen, -fork, -knife, -pan, baseball, helmet, tennis racket, pen, paper, calendar, diary, toothbrush, sharpie, tree, bush, cactus, rake, watering can, gloves, hairclip, bracelet, kite, forest, toothpaste, airplane, lego, shovel',
  },
  {
    name: 'bounces',
    ask: ['does it bounce?', 'can it bounce?'],
    also: ['can you bounce it?', 'is it bouncy?', 'do you bounce it?'],
    yes: 'basketball, tennis ball, volleyball, soccer ball, golf ball',
    unclear: 'football, baseball, mattress, bed, eraser, rabbit',
  },
  {
    name: 'thrown',
    ask: ['do you throw it?', 'is it thrown?'],
    also: ['can you throw it?', 'do people throw it?', 'do you catch it?'],
    yes: 'basketball, football, baseball',
    unclear:
      '@sports, @fruits, @vegetables, @toys, @clothes, @office, @kitchen, @jewelry, @tools, @art, rock, pillow, gloves, smartphone, camera, headphone, cat, meteorite, computer keyboard, rabbit',
  },
  {
    name: 'teeth_of_its_own',
    ask: ['does it have teeth?', 'has it got teeth?'],
    yes: '@animals, saw',
    unclear: 'rake, key, doll, hairclip, fork, whisk, pants, jacket',
  },
  {
    name: 'horns',
    ask: ['does it have horns?', 'does it have antlers?'],
    also: ['does it have a horn?'],
    yes: '',
    unclear: 'cow, sheep, car, truck, bus, train, motorcycle, ship, boat, scooter',
  },
  {
    name: 'trunk',
    ask: ['does it have a trunk?', 'has it got a trunk?'],
    yes: 'elephant, tree, car',
    unclear: 'bush, forest, cactus',
  },
  {
    name: 'claws',
    ask: ['does it have claws?', 'does it have paws?'],
    yes: 'cat, dog, lion, tiger, bear, rabbit',
    unclear: 'hammer',
  },
  {
    name: 'doors',
    ask: ['does it have doors?', 'does it have a door?'],
    yes: 'car, truck, bus, train, airplane, helicopter, ship, refrigerator, microwave',
    unclear: 'boat, dresser, nightstand, bookcase, desk, table',
  },
  {
    name: 'windows',
    ask: ['does it have windows?', 'does it have a windshield?'],
    also: ['does it have a window?'],
    yes: 'car, truck, bus, train, airplane, helicopter, ship',
    unclear: 'boat, microwave, computer, motorcycle, scooter',
  },
  {
    name: 'buttons',
    ask: ['does it have buttons?', 'do you press buttons on it?'],
    also: ['does it have buttons on it?', 'do you push buttons on it?', 'does it have a button?'],
    yes: 'calculator, microwave, blender, camera, printer, smartphone, television, monitor',
    unclear:
      'shirt, pants, jacket, dress, skirt, computer, computer keyboard, watch, @vehicles, headphone, refrigerator, drill, piano, couch, mattress, pillow, doll, boots, lawn mower, toothbrush, lego, saxophone, clarinet, trumpet',
  },
  {
    name: 'seeds',
    ask: ['does it have seeds?', 'does it contain seeds?'],
    also: ['does it have seeds inside?', 'are there seeds in it?', 'does it have a seed?'],
    yes: 'apple, orange, strawberry, watermelon, cantaloupe, tomato, cucumber',
    unclear: 'grape, mango, peach, banana, pineapple, peas, corn, tree, bush, cactus, forest',
  },
  {
    name: 'juice',
    ask: ['is it juicy?', 'do people drink its juice?'],
    also: [
      'can you make juice from it?',
      'do you make juice from it?',
      'is it used to make juice?',
      'can you juice it?',
    ],
    yes: 'orange, apple, grape, pineapple, watermelon, mango, peach, tomato',
    unclear: '@fruits, carrot, celery, cucumber, spinach, onion',
  },
  {
    name: 'crunchy',
    ask: ['is it crunchy?', 'is it crisp?'],
    yes: 'apple, carrot, celery, cucumber',
    unclear: 'broccoli, onion, corn, peas, watermelon, potato, grape, paper, spinach',
  },
  {
    name: 'grows',
    ask: ['does it grow?', 'can it grow?'],
    yes: '@animals, @fruits, @vegetables, tree, bush, cactus, forest',
    unclear: 'mountain, river, lake, sea, ocean',
  },
  {
    name: 'white',
    ask: ['is it white?', 'is it white in color?'],
    also: ['is its color white?'],
    yes: 'paper, baseball, golf ball, sheep',
    unclear: `cat, dog, horse, cow, rabbit, onion, toothpaste, volleyball, soccer ball, eraser, helmet, ${colored}, tennis racket, baseball bat, toothbrush, printer, calculator, stapler, calendar, diary, pen, pencil, battery, key, rock, potato, spinach, celery`,
  },
  {
    name: 'brown',
    ask: ['is it brown?', 'is it brown in color?'],
    also: ['is its color brown?'],
    yes: 'football, potato',
    unclear: `bear, cat, dog, horse, cow, rabbit, lion, sheep, tree, rock, mountain, river, meteorite, onion, baseball bat, bush, forest, lake, helmet, diary, pencil, pineapple, basketball, banana, ${colored}, printer, stapler, pen, marker, sharpie, calendar, paper, key, toothbrush, scissors, calculator, battery, tennis racket`,
  },
  {
    name: 'black',
    ask: ['is it black?', 'is it black in color?'],
    also: ['is its color black?', 'is it dark?'],
    yes: '',
    unclear: `bear, cat, dog, horse, cow, rabbit, sheep, rock, meteorite, grape, soccer ball, helmet, ${colored}, tennis racket, baseball bat, printer, stapler, pen, pencil, marker, sharpie, calculator, battery, scissors, diary, key, toothbrush, calendar, forest, ocean, sea, lake, tennis racket`,
  },
  {
    name: 'gray',
    ask: ['is it gray?', 'is it grey?'],
    also: ['is it gray in color?', 'is its color gray?'],
    yes: 'elephant',
    unclear: `cat, dog, horse, rabbit, rock, meteorite, mountain, sea, ocean, lake, river, sheep, cow, helmet, ${colored}, printer, stapler, calculator, scissors, key, pencil, eraser, baseball bat, tennis racket, diary, battery, pen`,
  },
  {
    name: 'fragile',
    ask: ['is it fragile?', 'does it break easily?'],
    also: ['is it breakable?', 'can it break easily?', 'is it easy to break?', 'is it easily broken?'],
    yes: '',
    unclear:
      '@electronics, @instruments, @kitchen, @jewelry, @toys, @furniture, @vehicles, @office, @art, @fruits, @vegetables, helmet, tennis racket, @animals, @garden, cactus, bush',
  },
  {
    name: 'machine',
    ask: ['is it a machine?', 'does it have moving parts?'],
    also: ['is it mechanical?', 'is it a piece of machinery?', 'is it a mechanical device?'],
    yes: 'car, truck, motorcycle, airplane, train, bus, helicopter, printer, blender, lawn mower, drill',
    unclear:
      'computer, boat, ship, scooter, microwave, refrigerator, camera, smartphone, television, monitor, calculator, stapler, watch, piano, trombone, trumpet, scissors, pliers, saxophone, clarinet, flute, computer keyboard, headphone, wrench, doll, lego, saw, locket, key, toothbrush, drum, pen, harp, hairclip, bed, chair, belt, kite, guitar, violin, battery',
  },
  {
    name: 'device',
    ask: ['is it a device?', 'is it some kind of device?'],
    yes: 'computer, smartphone, television, headphone, monitor, camera, microwave, computer keyboard, printer, calculator',
    unclear:
      'refrigerator, blender, watch, battery, drill, stapler, @vehicles, @tools, @kitchen, lawn mower, scissors, key, toothbrush, @instruments, pen, pencil, watering can, rake, shovel, sharpie, marker, hairclip, lego, helmet, eraser, doll, kite, tennis racket, paintbrush',
  },
  {
    name: 'entertainment',
    ask: ['is it used for entertainment?', 'is it used for leisure?'],
    also: [
      'is it used to entertain?',
      'is it for entertainment?',
      'is it entertaining?',
      'is it for fun?',
      'is it used for recreation?',
    ],
    yes: 'television, @toys, @instruments',
    unclear:
      '@sports, computer, smartphone, headphone, monitor, camera, boat, scooter, motorcycle, horse, dog, cat, rabbit, elephant, lion, tiger, bear, marker, painting, sculpture, paintbrush, canvas, diary, car, lake, sea, ocean, mountain, forest, river, computer keyboard, airplane, helicopter, ship, pencil',
  },
  {
    name: 'communication',
    ask: ['is it used for communication?', 'is it used to communicate?'],
    also: [
      'do you communicate with it?',
      'can you communicate with it?',
      'do you use it to communicate?',
      'do you talk to people with it?',
    ],
    yes: 'smartphone',
    unclear:
      'computer, pen, pencil, paper, marker, sharpie, television, headphone, computer keyboard, monitor, camera, watch, diary, printer, dog',
  },
  {
    name: 'team_sport',
    ask: ['is it used in a team sport?', 'is it used in team sports?'],
    also: ['is it used by a team?', 'is it used to play a team sport?'],
    yes: 'basketball, football, baseball, soccer ball, volleyball, baseball bat',
    unclear: 'helmet, tennis ball, tennis racket, gloves, shirt, shoes, socks, hat, horse, boat, golf ball, pants',
  },
  {
    name: 'baking',
    ask: ['is it used for baking?', 'do you bake with it?'],
    also: ['is it used to bake?', 'do you use it to bake?'],
    yes: 'whisk',
    unclear:
      'bowl, pan, spoon, blender, cup, fork, knife, plate, @fruits, carrot, gloves, microwave, refrigerator, cooking pot, potato',
  },
  {
    name: 'cuts_paper',
    ask: ['is it used to cut paper?', 'does it cut paper?'],
    also: ['do you cut paper with it?', 'can you cut paper with it?', 'can it cut paper?', 'does it have two blades?'],
    yes: 'scissors',
    unclear: 'knife, saw',
  },
  {
    name: 'part_of_bed',
    ask: ['is it part of a bed?', 'do you put sheets on it?'],
    also: ['does it go on a bed?', 'is it on a bed?', 'is it found on a bed?'],
    yes: 'mattress',
    unclear: 'pillow, bed, doll, cat, dog',
  },
  {
    name: 'needs_water',
    ask: ['does it need water?', 'do you water it?'],
    also: ['does it need water to live?', 'does it need to be watered?', 'does it need sunlight?', 'does it need sun?'],
    yes: 'tree, bush, cactus',
    unclear:
      '@animals, @fruits, @vegetables, forest, boat, ship, river, lake, blender, toothpaste, toothbrush, cooking pot, car',
  },
  {
    name: 'curved',
    ask: ['is it curved?', 'is it bent?'],
    yes: 'banana',
    unclear:
      '@instruments, @jewelry, @kitchen, @vehicles, tennis racket, helmet, pillow, rake, watering can, headphone, chair, couch, hat, cucumber, scissors, pliers, wrench, saw, river, sculpture, lion, tiger, cat, elephant',
  },
  {
    name: 'red_inside',
    ask: ['is it red inside?', 'is it red on the inside?'],
    yes: 'watermelon, strawberry, tomato',
    unclear: '@animals, car, jacket, grape, orange, peach, boots, shoes, couch',
  },
  {
    name: 'highway',
    ask: ['does it drive on the highway?', 'is it allowed on highways?'],
    also: ['can you drive it on the highway?', 'is it fast enough for the highway?', 'does it go on the highway?'],
    yes: 'car, truck, motorcycle, bus',
  },
  {
    name: 'over_other_clothes',
    ask: ['do you wear it over other clothes?', 'is it outer clothing?'],
    also: [
      'is it worn over other clothes?',
      'do you wear it over your clothes?',
      'is it outerwear?',
      'is it worn over clothes?',
    ],
    yes: 'jacket',
    unclear: 'scarf, belt, necklace, brooch, dress, pendant, locket, skirt',
  },
  {
    name: 'one_piece',
    ask: ['does it cover upper and lower body?', 'is it a one piece garment?'],
    also: ['does it cover most of your body?', 'does it cover your whole body?'],
    yes: 'dress',
    unclear: 'jacket',
  },
  {
    name: 'above_ankle',
    ask: ['does it cover the ankles?', 'does it go above the ankles?'],
    also: [
      'does it cover your ankles?',
      'does it go above your ankles?',
      'does it go above the ankle?',
      'does it cover the ankle?',
    ],
    yes: 'boots',
    unclear: 'socks, pants, dress, skirt',
  },
  {
    name: 'remote_control',
    ask: ['does it have a remote?', 'does it come with a remote?'],
    also: [
      'does it use a remote control?',
      'do you use a remote with it?',
      'does it have a remote control?',
      'do you need a remote for it?',
      'does it have channels?',
    ],
    yes: 'television',
    unclear: 'camera, kite, helicopter, car, boat, airplane, train, headphone, lego, bed',
  },
  {
    name: 'backrest',
    ask: ['does it have a backrest?', 'can you lean back on it?'],
    also: ['does it have a back rest?', 'does it have armrests?'],
    yes: 'chair, couch',
    unclear: 'bed, @vehicles, pillow, mattress',
  },
  {
    name: 'eat_at',
    ask: ['do people eat dinner at it?', 'do you sit around it to eat?'],
    also: [
      'do you eat at it?',
      'do you eat dinner at it?',
      'is it found in a dining room?',
      'do you eat meals at it?',
      'do families eat at it?',
    ],
    yes: 'table',
    unclear: 'chair, desk, couch, plate, fork, spoon, knife, bowl, cup, painting',
  },
  {
    name: 'work_at',
    ask: ['do you work at it?', 'do you study at it?'],
    also: ['do people work at it?', 'do you sit at it to work?', 'is it used to work at?', 'do you do homework at it?'],
    yes: 'desk',
    unclear: 'table, computer, chair, computer keyboard',
  },
  {
    name: 'felt_tip',
    ask: ['does it have a felt tip?', 'does it make thick lines?'],
    also: ['does it write in thick lines?'],
    yes: 'marker, sharpie',
    unclear: 'paintbrush',
  },
  {
    name: 'brand',
    ask: ['is it a brand name?', 'is it named after a brand?'],
    also: ['is it a brand?', 'is it the name of a brand?'],
    yes: 'sharpie, lego',
  },
  {
    name: 'shows_a_picture',
    ask: ['is there a picture on it?', 'does it have a picture on it?'],
    also: ['does it have an image on it?', 'is there an image on it?'],
    yes: 'painting',
    unclear:
      'puzzle, calendar, television, monitor, computer, smartphone, camera, paper, shirt, locket, plate, cup, diary, pillow, kite, brooch, pendant, printer, lego, jacket, toothpaste',
  },
  {
    name: 'coffee',
    ask: ['do you drink coffee from it?', 'do you drink tea from it?'],
    also: [
      'do you drink coffee out of it?',
      'can you drink coffee from it?',
      'do you drink tea out of it?',
      'does it hold coffee?',
    ],
    yes: 'cup',
  },
  {
    name: 'two_handles',
    ask: ['does it have two handles?', 'do you squeeze its handles?'],
    also: ['does it have 2 handles?', 'do you squeeze the handles?'],
    yes: 'pliers, scissors',
    unclear: 'cooking pot, cup, bowl, pan, scooter, motorcycle, dresser, refrigerator, lawn mower, drill, bookcase',
  },
  {
    name: 'eyes',
    ask: ['does it have eyes?', 'has it got eyes?'],
    also: ['does it have ears?', 'does it have a nose?', 'does it have a head?'],
    yes: '@animals, doll',
    unclear: 'potato, corn, sculpture, painting, lego, puzzle, airplane, hammer',
  },
];
