// The household objects that ship with the games: our own, each with the furniture where it belongs.
// They are put away in `twc` and lie about in `coin` and `mapreader`; no object is in two folds.
import type { ObjectFile } from './content.js';

interface PlaceRow {
  places: string[];
  /** Names separated by commas. */
  train: string;
  valid: string;
  test: string;
}

const rows: readonly PlaceRow[] = [
  {
    places: ['fridge'],
    train: 'jar of pickles, tub of yoghurt, carton of cream, bowl of cold soup, pack of ravioli',
    valid: 'slice of quiche, jar of capers, bottle of ginger ale',
    test: 'pot of jam, box of fresh dates, cup of custard',
  },
  {
    places: ['counter'],
    train: 'bread bin, salt mill',
    valid: 'egg timer',
    test: 'spice rack',
  },
  {
    places: ['kitchen cupboard', 'dining table'],
    train: 'gravy boat, fruit bowl, porcelain teapot, sugar bowl',
    valid: 'pepper mill, milk jug',
    test: 'butter dish, egg cup',
  },
  {
    places: ['cutlery drawer'],
    train: 'cake fork, soup ladle, pie server, steel tongs, cheese slicer',
    valid: 'dessert spoon, apple corer',
    test: 'oyster fork, melon baller',
  },
  {
    places: ['trash can'],
    train: 'banana skin, bent straw, torn teabag',
    valid: 'eggshell, melon rind',
    test: 'apple stem, coffee filter',
  },
  {
    places: ['dishwasher'],
    train: 'greasy pan, sticky mug, used soup plate, smeared glass',
    valid: 'crusty baking tray, used saucer',
    test: 'burnt casserole, used tumbler',
  },
  {
    places: ['dining chair'],
    train: 'chequered seat pad',
    valid: 'round seat pad',
    test: 'woven seat pad',
  },
  {
    places: ['folding chair'],
    train: 'camping cushion, canvas seat cover',
    valid: 'beach cushion, striped seat cover',
    test: 'stadium cushion, quilted seat cover',
  },
  {
    places: ['shelf'],
    train: 'bag of lentils, tin of chickpeas, packet of yeast, jar of mustard seeds',
    valid: 'bag of oats, tin of sardines, packet of gelatine',
    test: 'bag of quinoa, tin of peaches, packet of saffron',
  },
  {
    places: ['key holder'],
    train: 'shed key, bicycle key, spare house key',
    valid: 'cellar key, piano key ring',
    test: 'garage key, mailbox key',
  },
  {
    places: ['shoe cabinet'],
    train: 'tan loafers, rain boots, leather sandals, canvas sneakers, ballet flats',
    valid: 'suede clogs, hiking boots, patent pumps',
    test: 'felt slippers, wedge heels, football boots',
  },
  {
    places: ['umbrella stand'],
    train: 'walking cane, black umbrella, folding parasol',
    valid: 'polka dot umbrella, trekking pole',
    test: 'transparent umbrella, ivory cane',
  },
  {
    places: ['hat rack'],
    train: 'straw boater, woollen bobble hat, tweed flat cap',
    valid: 'felt fedora, sun visor',
    test: 'bowler, ear flap hat',
  },
  {
    places: ['coat hanger'],
    train: 'duffel coat, rain poncho, quilted anorak',
    valid: 'trench coat, loden cape',
    test: 'pea coat, waxed jacket',
  },
  {
    places: ['dressing table'],
    train: 'powder compact, pearl necklace, perfume flacon',
    valid: 'lipstick case, silver hand mirror',
    test: 'blush brush, jewel casket',
  },
  {
    places: ['desk chair'],
    train: 'lumbar pillow',
    valid: 'wedge cushion',
    test: 'gel seat pad',
  },
  {
    places: ['desk'],
    train: 'fountain pen, paper tray, pocket calculator, stapler',
    valid: 'letter opener, desk calendar',
    test: 'ink pot, hole punch',
  },
  {
    places: ['chest of drawers'],
    train: 'folded pyjamas, bundle of socks, cotton vest, lace handkerchief',
    valid: 'flannel nightgown, thermal leggings, silk stockings',
    test: 'bed socks, linen undershirt, knitted bed jacket',
  },
  {
    places: ['wardrobe'],
    train: 'navy pinstripe suit, corduroy trousers, velvet gown, pleated skirt, denim jacket, plaid shirt',
    valid: 'tartan kilt, linen blouse, cashmere cardigan, cargo pants',
    test: 'sequin dress, tuxedo, knitted waistcoat, tennis skirt',
  },
  {
    places: ['night stand'],
    train: 'reading glasses, alarm clock, sleep mask',
    valid: 'bedside candle, dream journal',
    test: 'earplug case, hot water bottle',
  },
  {
    places: ['bed'],
    train: 'down pillow, patchwork quilt, fitted sheet, bolster',
    valid: 'woollen bedspread, satin pillowcase',
    test: 'crocheted bed throw, feather duvet',
  },
  {
    places: ['wastepaper basket'],
    train: 'crumpled letter, torn envelope, old receipt',
    valid: 'used gift wrap, expired voucher',
    test: 'shredded bill, outdated flyer',
  },
  {
    places: ['book case'],
    train: 'road map, poetry anthology, thick encyclopedia, crime novel',
    valid: 'opera guide, fairy tale book',
    test: 'travel memoir, chess manual',
  },
  {
    places: ['TV stand'],
    train: 'game controller, antenna box',
    valid: 'streaming stick, film disc',
    test: 'sound bar, karaoke microphone',
  },
  {
    places: ['arm chair', 'sofa'],
    train: 'tasselled cushion, mohair throw, velvet bolster',
    valid: 'embroidered cushion, fleece throw',
    test: 'leather cushion, alpaca throw',
  },
  {
    places: ['side table', 'end table'],
    train: 'brass lamp, crystal ashtray, bonsai pot',
    valid: 'ceramic lamp, fern pot',
    test: 'paper lamp, cactus pot',
  },
  {
    places: ['coffee table'],
    train: 'stack of coasters, fashion magazine, candy dish',
    valid: 'puzzle magazine, marble chessboard',
    test: 'gardening magazine, incense holder',
  },
  {
    places: ['sink'],
    train: 'bar of olive soap, nail brush',
    valid: 'bar of tar soap',
    test: 'bar of lavender soap',
  },
  {
    places: ['wall hook'],
    train: 'terry bathrobe, bath sponge on a string',
    valid: 'silk kimono',
    test: 'hooded bathrobe',
  },
  {
    places: ['toilet roll holder'],
    train: 'roll of toilet paper',
    valid: 'roll of recycled paper',
    test: 'roll of quilted paper',
  },
  {
    places: ['towel rack'],
    train: 'hand towel, bath towel, face flannel',
    valid: 'guest towel, beach towel',
    test: 'sauna towel, hair towel',
  },
  {
    places: ['bath tub'],
    train: 'rubber duck, bath pillow',
    valid: 'toy boat',
    test: 'bath tray',
  },
  {
    places: ['shower'],
    train: 'bottle of shower gel, loofah',
    valid: 'bottle of hair conditioner',
    test: 'bottle of kids shampoo',
  },
  {
    places: ['bathroom cabinet'],
    train: 'tube of toothpaste, box of plasters, hairbrush, cough syrup',
    valid: 'dental floss, nail scissors, vial of eye drops',
    test: 'mouthwash, electric razor, pack of cotton swabs',
  },
  {
    places: ['bench'],
    train: 'bag of clothes pegs, box of washing powder',
    valid: 'lint roller, tin of starch',
    test: 'sewing kit, bottle of softener',
  },
  {
    places: ['work table'],
    train: 'steam iron, measuring tape, spray bottle',
    valid: 'ironing cloth, pincushion',
    test: 'sleeve board, button box',
  },
  {
    places: ['clothes drier'],
    train: 'wet bedsheet, wet jumper, wet swimming trunks',
    valid: 'wet beach robe, wet overalls',
    test: 'wet curtains, wet tracksuit',
  },
  {
    places: ['laundry basket', 'washing machine'],
    train: 'muddy jeans, sweaty jersey, stained tablecloth, dusty rug',
    valid: 'grubby apron, sandy shorts, soiled bib',
    test: 'oily coveralls, smelly kit bag, spotted napkin',
  },
  {
    places: ['patio table', 'patio chair'],
    train: 'citronella candle, garden lantern',
    valid: 'bird figurine',
    test: 'sundial',
  },
  {
    places: ['workbench'],
    train: 'claw hammer, spirit level',
    valid: 'hand plane',
    test: 'pipe wrench',
  },
  {
    places: ['garden'],
    train: 'watering can, hand trowel',
    valid: 'garden gnome',
    test: 'wheelbarrow toy',
  },
  {
    places: ['showcase'],
    train: 'price tag roll',
    valid: 'special offer sign',
    test: 'shop bell',
  },
];

function objectsOf(fold: keyof ObjectFile): ObjectFile['train'] {
  const objects = rows.flatMap((row) => row[fold].split(', ').map((name) => ({ name, locations: row.places })));
  return Object.fromEntries(objects.map((object) => [object.name, object]));
}

export const objectFile: ObjectFile = {
  train: objectsOf('train'),
  valid: objectsOf('valid'),
  test: objectsOf('test'),
};
