// Tests the answers of the oracle against a person's judgement, and not against its table.
import { allAttributes } from './attributes/index.js';
import { normalizeAnswer, namesWord } from './rules.js';
import { indistinguishablePairs } from './questions.js';
import { formKey, questionForm } from './question-form.js';
import { meaningOf, RulesOracle } from './rules-oracle.js';
import { allWords, findWord } from './words.js';

const oracle = new RulesOracle();
const answer = (word: string, question: string) => normalizeAnswer(oracle.answer(findWord(word), question));

/** Each line has a wording: the question | words with Yes | words with No. */
const truths = `
Is it an animal? | dog, elephant, sheep | banana, car, tree, doll
is it a living thing? | cat, bush | hammer, river, ring
Is the object alive? | lion, tree | chair, rock, meteorite
Is it man-made? | piano, knife, lego | mountain, apple, tiger
Is it a man made object? | truck, sculpture | ocean, corn
Does it occur naturally? | river, forest, peach | television, plate
Is it a mammal? | horse, rabbit | cactus, boots
Is it a kind of pet? | dog, cat | tiger, elephant, hammer
Do people keep it as a pet? | cat | lion, wrench
Does it live in the wild? | bear, tiger | cow, bed
Is it a feline? | cat, lion | dog, bear
does it bark? | dog | cat, horse, violin
Does it have four legs? | cow, chair, elephant | car, spoon
Does it have a tail? | dog, horse, lion | truck, rock, doll
Does it have fur? | bear, rabbit | elephant, piano
Does it eat grass? | cow, sheep | lion, cat, chair
does it eat meat | tiger, lion | sheep, spoon
Does it have hooves? | horse, sheep | dog, boots
Does it give milk? | cow | lion, plate
Does it have a mane? | lion, horse | cow, pillow
Can you eat it? | apple, carrot, spinach | piano, pencil, mountain
Is it something you can eat? | mango, potato | dress, glue
Can it be eaten? | banana, celery | rock, key
Is it edible? | corn, grape | saw, lion
Is it food? | broccoli, peach | toothpaste, refrigerator, plate
Is it a type of food? | onion, cantaloupe | fork, horse
Is it a fruit? | orange, strawberry, mango | potato, broccoli
Is it considered a vegetable? | carrot, spinach, celery | apple, banana, car
Does it grow on trees? | apple, peach, orange | strawberry, watermelon, potato, pen
Does it grow underground? | carrot, potato | apple, corn, bus
Is it sweet? | mango, watermelon | celery, hammer, broccoli
Does it taste sweet? | strawberry | spinach, boat
Is it a citrus fruit? | orange | banana, apple, tomato
Is it tropical? | mango, pineapple | carrot, bus
Is it yellow? | banana | strawberry, elephant, ocean
Is it red? | strawberry, tomato | banana, broccoli, elephant, ocean
Is it green? | cucumber, cactus, peas | strawberry, lion
Is it orange in color? | carrot, basketball | celery, elephant
Is it blue? | ocean, sea | banana, bear, apple
Is it round? | basketball, orange, plate, ring | pencil, boat, knife
Is it shaped like a ball? | tennis ball, golf ball | guitar, bus
Is it a ball? | football, volleyball, baseball | baseball bat, orange, plate
Is it long and thin? | pencil, chopstick, rake | apple, car, computer
Is it made of metal? | key, scissors, wrench, ring | banana, shirt, pillow, paper
Is it metallic? | trumpet, knife | dog, corn
Is it mostly made of metal? | hammer, train | scarf, peas
Is it made out of wood? | desk, pencil, violin, tree | microwave, shirt, orange, key
Is it wooden? | bookcase, baseball bat | glue, lion
Is it made of plastic? | lego, calculator | lion, apple, sea, diary
Is it made of paper? | diary, calendar, paper | spoon, dog, river
Is it made of fabric? | shirt, skirt, scarf | hammer, apple, trumpet
Is it made of cloth? | dress, socks | car, fork
Is it made of stone? | mountain, rock | carrot, jacket, piano
Is it soft? | pillow, mattress, sheep | hammer, piano, rock, fork
Is it sharp? | knife, saw, scissors | pillow, banana, ocean
Does it have a blade? | knife, saw | spoon, pillow, bus
Does it use electricity? | computer, television, blender | spoon, carrot, tree, bookcase
Does it require electricity? | microwave, printer | chair, cow
Is it electronic? | smartphone, monitor | hammer, bush, flute
Is it an electronic device? | camera, calculator | fork, shirt
Do you plug it in? | refrigerator, television | hat, fork, onion
Does it have a screen? | smartphone, television, computer | blender, chair, headphone
Can you make calls with it? | smartphone | camera, flute, pan
Can it take pictures? | camera, smartphone | fork, painting, microwave
Can you take pictures with it? | camera | bus, plate
Can it connect to the internet? | computer, smartphone | spoon, hammer
Is it used to type? | computer keyboard | spoon, pen
Is it an appliance? | microwave, blender | spoon, piano
Does it keep food cold? | refrigerator | microwave, pan, glue
Is it used in sports? | basketball, tennis racket, golf ball | piano, spoon, broccoli
Is it a piece of sports equipment? | baseball bat, helmet | pen, tomato, lion
Do you kick it? | soccer ball | golf ball, chair, guitar
Is it used to play tennis? | tennis ball, tennis racket | football, guitar
Is it a vehicle? | car, bus, boat | horse, chair, kite
Is it used for transportation? | train, airplane, motorcycle | hammer, bed
Is it a mode of transportation? | ship, scooter | shoes, tree
Does it have wheels? | car, bus, scooter | boat, dog, spoon
Does it have an engine? | truck, helicopter, motorcycle | chair, pillow, kite
Can it fly? | airplane, helicopter, kite | car, cow, pan
Is it able to fly? | airplane | ship, dog
Does it travel on water? | ship, boat | bus, elephant
Do you drive it? | car, truck | spoon, guitar
Can you ride it? | horse, motorcycle | fork, carrot
Does it run on rails? | train | bus, boat
Does it have wings? | airplane | car, spoon
Is it a musical instrument? | guitar, harp, drum | headphone, spoon, bus
Can you play music on it? | piano, flute | fork, knife
Does it make music? | violin, trombone | hammer, fork
Does it have strings? | guitar, violin, harp | flute, drum, trumpet
Is it a string instrument? | guitar, harp | flute, trombone, bus
Do you blow into it? | flute, trumpet, clarinet | piano, guitar, fork
Is it a wind instrument? | saxophone, clarinet | violin, drum
Is it a brass instrument? | trumpet, trombone | flute, guitar
Is it a percussion instrument? | drum | flute, harp
Is it played with a bow? | violin | guitar, trombone, kite
Does it have keys? | piano, computer keyboard | fork, violin, drum
Is it a piece of furniture? | chair, couch, bookcase | spoon, car, elephant
Is it furniture? | table, desk | banana, computer
Do you sit on it? | chair, couch | fork, lake, television
Can you sit on it? | chair | spoon, banana
Do you sleep on it? | bed, mattress | spoon, desk, dresser
Does it have drawers? | dresser, nightstand | chair, mattress, spoon
Does it hold books? | bookcase | bed, spoon
Is it a toy? | doll, kite, lego, puzzle | hammer, bed, refrigerator
Do children play with it? | doll, lego | wrench, dresser
Is it a work of art? | painting, sculpture | hammer, rake
Is it used for painting? | paintbrush | hammer, broccoli
Do you hang it on the wall? | painting, calendar | cow, boat
Is it a tool? | hammer, wrench, drill | apple, dress, lion
Is it used to cut things? | knife, scissors, saw | spoon, pillow, apple
Can you cut with it? | knife, scissors | plate, dress
Is it used for cutting? | saw, scissors | bed, cup
Do you dig with it? | shovel | hammer, harp
Is it used for gardening? | rake, watering can, shovel | piano, television
Does it cut grass? | lawn mower | hammer, shirt
Do you hit nails with it? | hammer | pillow, saw, flute
Do you wear it? | shirt, ring, hat, gloves | fork, banana, car
Can you wear it? | dress, necklace | hammer, ocean
Is it something you wear? | boots, scarf | piano, plate
Can it be worn? | jacket, bracelet | saw, onion
Is it an article of clothing? | pants, socks | ring, spoon, piano
Is it clothing? | skirt, hat | fork, locket
Do you wear it on your feet? | shoes, socks, boots | hat, gloves, ring
Is it worn on the head? | hat, helmet | socks, ring, belt
Is it worn around the neck? | necklace, scarf, locket | boots, ring
Do you wear it on your wrist? | watch, bracelet | hat, earring
Is it jewelry? | ring, necklace, earring | shirt, fork, hat
Is it a piece of jewellery? | brooch, pendant | couch, pan
Does it come in pairs? | shoes, socks, gloves, earring | hat, piano, banana
Does it tell time? | watch | fork, necklace
Does it keep you warm? | jacket, scarf | fork, ring
Is it found in the kitchen? | spoon, refrigerator, plate | car, lion, bed
Would you find it in a kitchen? | fork, blender, pan | truck, elephant
Do you keep it in the kitchen? | whisk, bowl | bus, mattress
Is it used in the kitchen? | knife, pan, microwave | couch, drill
Do you cook with it? | pan, cooking pot | pillow, ring, truck
Is it used for cooking? | pan | shirt, guitar
Is it used for eating? | spoon, fork, chopstick | pillow, hammer, ring
Do you eat with it? | fork, spoon | car, bookcase
Is it a utensil? | fork, spoon | car, bed
Do you drink from it? | cup | fork, pillow
Do you eat from it? | plate, bowl | hammer, socks
Is it used in an office? | stapler, pen, computer, printer | lion, apple, skirt
Would you find it in an office? | stapler, desk | bear, helicopter
Do you write with it? | pen, pencil, sharpie | plate, cow, stapler
Is it used for writing? | pencil, marker | spoon, bed
Is it used to write? | pen | hammer, pillow
Is it something you write with? | pencil | couch, celery
Can you write on it? | paper, diary | banana, trumpet
Does it contain ink? | pen, marker, printer | pencil, fork
Is it used for cleaning teeth? | toothbrush, toothpaste | hammer, fork
Do you brush your teeth with it? | toothbrush | hammer
Is it found in a bathroom? | toothbrush, toothpaste | car, guitar, cow
Does it open doors? | key | fork, pillow, piano
Is it sticky? | glue | hammer, plate, key
Is it a body of water? | lake, ocean, river | mountain, cup, boat
Is it liquid? | sea, ocean | mountain, fork
Is it salty? | ocean, sea | river, banana
Does it come from space? | meteorite | mountain, plate, ship
Can you climb it? | mountain, tree | fork, ring
Does it have leaves? | tree, bush | fork, cow, river
Is it a plant? | tree, cactus, bush | dog, hammer, car
Is it prickly? | cactus | pillow, banana
Is it usually found outdoors? | tree, mountain, train | pillow, refrigerator, couch
Is it found outside? | forest, river | couch, microwave
Is it found indoors? | couch, bed, refrigerator | mountain, ship
Is it expensive? | airplane, train, ship | pencil, fork, carrot, paper
Does it fit in your pocket? | key, ring, pen | car, couch, harp
Is it too heavy to lift? | train, elephant, mountain | fork, shirt, apple
Is it bigger than a car? | bus, airplane, ocean | fork, cat, chair, ring
Is it larger than a person? | bus, mountain, elephant | key, apple, spoon
Is it smaller than a basketball? | ring, apple, golf ball | car, couch, refrigerator
Is it bigger than a microwave? | bed, truck, horse | fork, apple, smartphone
Is it smaller than a shoebox? | pen, ring, spoon | bed, elephant
Is it bigger than a house? | mountain, ocean, ship | spoon, car, dog
Is it a dog? | dog | cat, lion, hammer
Is it the piano? | piano | guitar, fork
is it a pair of pants | pants | shirt, scissors
are they scissors? | scissors | knife
Is it an orange? | orange | carrot, basketball, apple
Could it be a banana? | banana | mango
Are these shoes? | shoes | hat
Is it your key? | key | locket
Is it a sofa? | couch | chair
Is it a zebra? | | horse, tiger, car
Is it a lamp? | | desk, television
Is the answer a tree? | tree | bush, cactus
I think it is a cat | cat | dog
Dog? | dog | cat
Is it not an animal? | hammer, apple | dog, lion
Is it not made of metal? | pillow, apple | key, wrench
Is it non-living? | hammer, fork | dog
Isn't it an animal? | dog | hammer
Is it a red fruit? | strawberry | banana, car
Is it an animal that barks? | dog | cat, hammer
Is it an animal and a pet? | dog, cat | lion, fork
Is it a fruit that grows on trees? | peach, apple | watermelon, car
Is it a vehicle? | truck, scooter | horse, elephant, lawn mower
Is it a musical instrument? | saxophone | headphone, television
Can you hold it in one hand? | pen, apple, spoon | car, bed, elephant
Is it small? | key, pea, ring | elephant, train, couch
Is it big? | mountain, airplane, elephant | ring, fork, carrot
Does it make noise? | drum, dog, truck | pillow, fork, carrot
Is it dangerous? | lion, tiger, knife | pillow, spinach, hat
Can it swim? | dog, bear | hammer, pillow
Does it bounce? | basketball, tennis ball | plate, hammer
Does it float on water? | boat, ship | hammer, key, piano
Does it have seeds? | apple, watermelon | hammer, carrot
Can you make juice from it? | orange, apple | lion, hammer
Does it have teeth? | dog, lion, saw | spoon, glue
Does it have a trunk? | elephant, tree | spoon, cat
Is it white? | paper, golf ball | banana, broccoli
Does it have windows? | car, airplane | spoon, dog
Does it have a door? | refrigerator, car | spoon, dog
Is it used in a team sport? | basketball, volleyball | piano, fork
Does it grow? | dog, tree, carrot | hammer, ring
Is it worn over other clothes? | jacket | socks, ring
Does it have a backrest? | chair, couch | table, dresser
Does it come with a remote? | television | fork, printer
Does it have two handles? | scissors, pliers | hammer, spoon
Is it an object found in an office? | printer, stapler | elephant, peach
Do most people wear it on their feet? | shoes | ring
Can people ride it? | horse | apple
Would you wear it on your head? | hat | boots
Could you eat it raw? | apple, carrot | hammer
Is it something that can fly? | airplane, helicopter | hammer, dog
Is it something used for writing? | pen, pencil | plate
Is it an item used in the kitchen? | whisk, knife | bus
Is it a thing with wheels? | car, bus | fork
Is it something that has strings? | guitar, violin | drum
Is it an object made of wood? | desk, violin | fork, key
So, is it an animal? | dog | fork
Question 5: is it an animal? | cat | plate
Okay, does it have wheels? | bus | cow
Is it typically found in a kitchen? | fork | bus
Are they usually worn on the feet? | socks | ring
Is there a screen on it? | smartphone | fork
Has it got wheels? | truck | fork
Does it have any wheels? | train | pillow
Is it not edible? | hammer, ring | apple, banana
Is it not bigger than a car? | fork, cat | ocean
Is it a wooden instrument? | violin, guitar | trumpet, desk
`;

interface Case {
  question: string;
  word: string;
  expected: 'Yes.' | 'No.';
}

const cases: Case[] = truths
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [question, yes, no] = line.split('|').map((part) => part.trim());
    const listed = (words: string, expected: Case['expected']) =>
      words
        .split(',')
        .filter((word) => word.trim() !== '')
        .map((word): Case => ({ question, word: findWord(word).name, expected }));
    return [...listed(yes, 'Yes.'), ...listed(no, 'No.')];
  });

test('the truth list holds over 1,000 question–answer pairs on over 140 words', () => {
  expect(cases.length).toBeGreaterThan(1000);
  expect(new Set(cases.map(({ word }) => word)).size).toBeGreaterThan(140);
});

test('the oracle agrees with every one of them', () => {
  const wrong = cases
    .map((entry) => ({ ...entry, got: answer(entry.word, entry.question) }))
    .filter(({ got, expected }) => got !== expected)
    .map(({ word, question, got, expected }) => `${word}: ${question} → ${got} instead of ${expected}`);
  expect(wrong).toEqual([]);
});

test.each([
  'what is it?',
  'where do you find it?',
  'is it a fruit or a vegetable?',
  'does it flurb?',
  'is it in a wug?',
  'hello',
  '',
  '?',
  'is it',
  'is it a',
])('%j is not answered by guessing', (question) => {
  expect(allWords.map(({ name }) => answer(name, question))).toEqual(allWords.map(() => 'Invalid Question.'));
});

test('a matter on which people disagree is neither yes nor no', () => {
  expect(answer('tomato', 'is it a vegetable?')).toBe('Invalid Question.');
  expect(answer('ship', 'is it a boat?')).toBe('Invalid Question.');
  expect(answer('shirt', 'is it red?')).toBe('Invalid Question.');
  expect(answer('computer', 'is it a laptop?')).toBe('Invalid Question.');
  expect(answer('bed', 'is it a laptop?')).toBe('No.');
});

test('wordings that mean the same have one canonical form', () => {
  const forms = [
    'can you eat it?',
    'Can it be eaten?',
    'is it something people eat?',
    'Do you usually eat it??',
    'would someone eat this',
  ];
  expect(new Set(forms.map((wording) => formKey(questionForm(wording)!)))).toEqual(new Set(['you eat']));
});

describe('the table', () => {
  test('has at least 60 rows, each with two wordings to ask, all answered by the row itself', () => {
    expect(allAttributes().length).toBeGreaterThanOrEqual(60);
    for (const { name, ask, also, truths } of allAttributes()) {
      expect(ask.length).toBeGreaterThanOrEqual(2);
      for (const wording of [...ask, ...also]) {
        const meaning = meaningOf(wording);
        expect([name, wording, allWords.map((word) => meaning?.(word))]).toEqual([name, wording, truths]);
      }
    }
  });

  test('no attribute question names, by its last word, an object for which the answer is yes: it would win', () => {
    const winning = allAttributes().flatMap(({ ask, truths }) =>
      ask.filter((question) =>
        allWords.some((word) => truths[word.index] === 'yes' && namesWord(question, word, 'suffixTokens')),
      ),
    );
    expect(winning).toEqual([]);
  });

  test('questions to ask are lower-case, short and end in a question mark', () => {
    for (const question of allAttributes().flatMap(({ ask }) => ask)) expect(question).toMatch(/^[a-z ]{6,42}\?$/);
  });

  test('all but four pairs of words differ by a clear yes against a clear no', () => {
    expect(indistinguishablePairs(allWords).map(([a, b]) => `${a.name} ~ ${b.name}`)).toEqual([
      'boat ~ ship',
      'table ~ desk',
      'ocean ~ sea',
      'sea ~ lake',
    ]);
  });
});
