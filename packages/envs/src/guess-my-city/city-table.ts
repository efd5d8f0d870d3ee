// The cities, and what is asked about them, of our own writing: one line each, in ArCHer's order and spelling; the nine
// that only LMRL-Gym's list has come last. * : capital. Population in millions, rounded, of the city or its urban area.
// - : none; = : of the city's own name.
// city, country | population | sea | river | climate | part of the country | landmarks | known for

const table = `
*Seoul, South Korea | 9.7 | - | Han | continental with cold winters and humid summers | northwest | Gyeongbokgung palace and Namsan tower | technology and pop music
Sao Paulo, Brazil | 12.3 | - | Tiete | subtropical and rainy | southeast | Paulista avenue and Ibirapuera park | finance and industry
Bombay, India | 12.5 | the Arabian Sea | Mithi | tropical with heavy monsoon rain | west | the Gateway of India and Marine Drive | film making and finance
*Jakarta, Indonesia | 10.6 | the Java Sea | Ciliwung | tropical and humid | Java | the National Monument | traffic jams and being a huge harbour
Karachi, Pakistan | 16 | the Arabian Sea | Lyari | dry and hot | south | the tomb of the nation's founder and Clifton beach | its port and industry
*Moscow, Russia | 12.6 | - | Moskva | continental with long cold winters | west | the Kremlin and Red Square | ballet and its metro stations
Istanbul, Turkey | 15.5 | the Bosporus and the Sea of Marmara | - | mild with wet winters | northwest | Hagia Sophia and the Blue Mosque | bazaars and lying on two continents
Shanghai, China | 24.9 | the East China Sea | Huangpu | humid subtropical | east | the Bund and the Oriental Pearl tower | finance and its skyline
*Tokyo, Japan | 14 | the Pacific Ocean | Sumida | humid subtropical with warm summers | east | the Shibuya crossing and the Sensoji temple | technology and crowded trains
*Bangkok, Thailand | 10.5 | the Gulf of Thailand | Chao Phraya | tropical and hot | center | the Grand Palace and Wat Arun | temples and street food
*Beijing, China | 21.9 | - | Yongding | continental with cold dry winters | north | the Forbidden City and the Great Wall | emperors and politics
*Delhi, India | 16.8 | - | Yamuna | hot and dry with foggy winters | north | the Red Fort and India Gate | politics and Mughal monuments
*London, UK | 8.9 | - | Thames | mild and rainy | southeast | Big Ben and the Tower Bridge | theatre, finance and red buses
*Cairo, Egypt | 10.1 | - | Nile | desert, hot and dry | north | the Citadel and the museum of antiquities | mosques and pharaohs
*Tehran, Iran | 9 | - | - | dry with cold winters | north | the Azadi tower and Golestan palace | mountains to its north
*Bogota, Colombia | 7.9 | - | = | mild and cool because of its altitude | center | Monserrate and the Gold Museum | its altitude and street art
Bandung, Indonesia | 2.5 | - | Cikapundung | tropical but cool in the hills | Java | Gedung Sate | fashion outlets and universities
Tianjin, China | 13.9 | the Bohai Sea | Hai | continental with cold winters | north | the Eye on the river and Italian style streets | its port and comic talk
*Lima, Peru | 10 | the Pacific Ocean | Rimac | mild desert with fog | west | the Plaza Mayor and Miraflores cliffs | ceviche and colonial balconies
Lahore, Pakistan | 13 | - | Ravi | hot with monsoon rain | northeast | the Badshahi mosque and the Shalimar gardens | Mughal gardens and food
Bogor, Indonesia | 1.1 | - | Ciliwung | tropical with rain nearly every day | Java | the botanical gardens and a presidential palace | rain and botanical gardens
*Santiago, Chile | 6.2 | - | Mapocho | mediterranean with dry summers | center | San Cristobal hill and La Moneda palace | wine and the Andes beside it
Shenyang, China | 9.1 | - | Hun | continental with very cold winters | northeast | the Mukden palace | heavy industry
Calcutta, India | 14.9 | - | Hooghly | tropical with monsoon rain | east | the Victoria Memorial and Howrah bridge | poets, trams and the colonial past
Wuhan, China | 12.3 | - | Yangtze | humid subtropical with hot summers | center | the Yellow Crane Tower | universities and hot dry noodles
Sydney, Australia | 5.3 | the Pacific Ocean | Parramatta | mild and sunny | southeast | the Opera House and the Harbour Bridge | beaches and its harbour
Guangzhou, China | 18.7 | - | Pearl | humid subtropical | south | the Canton Tower | trade fairs and dim sum
*Singapore, Singapore | 5.9 | the strait to the Java Sea | - | tropical and humid | south | Marina Bay Sands and the Merlion | cleanliness and its port
Madras, India | 8.7 | the Bay of Bengal | Cooum | tropical and hot | southeast | Marina beach and Fort Saint George | cars and classical music
*Baghdad, Iraq | 8.1 | - | Tigris | desert, very hot | center | the Abbasid palace and the martyrs' monument | the Thousand and One Nights
Pusan, South Korea | 3.4 | the Sea of Japan | Nakdong | mild and humid | southeast | Haeundae beach and Gamcheon village | its port and a film festival
Yokohama, Japan | 3.8 | the Pacific Ocean | Tsurumi | humid subtropical | east | the Landmark Tower and the largest Chinatown | its port
*Dhaka, Bangladesh | 10.3 | - | Buriganga | tropical with monsoon rain | center | Lalbagh fort | rickshaws and textiles
*Berlin, Germany | 3.8 | - | Spree | temperate | northeast | the Brandenburg Gate and the remains of a wall | having been divided and clubs
Alexandria, Egypt | 5.3 | the Mediterranean Sea | - | mild with rainy winters | north | the new great library and Qaitbay citadel | an ancient lighthouse and library
Bangalore, India | 8.4 | - | - | mild because of its altitude | south | the Vidhana Soudha and Lalbagh gardens | software and gardens
Malang, Indonesia | 0.9 | - | Brantas | tropical but cool in the hills | Java | a rainbow village and temples nearby | apples and universities
Hyderabad, India | 6.8 | - | Musi | hot and dry with monsoon rain | south | the Charminar and Golconda fort | biryani, pearls and software
Chongqing, China | 9.6 | - | Yangtze | humid and foggy with very hot summers | southwest | Hongya cave houses | hot pot and steep hills
Haerbin, China | 5.9 | - | Songhua | continental with extremely cold winters | northeast | Saint Sophia cathedral | an ice and snow festival
*Ankara, Turkey | 5.7 | - | - | dry with cold winters | center | the mausoleum of Ataturk | politics and goats with fine wool
*Buenos Aires, Argentina | 3.1 | the mouth of the La Plata | La Plata | mild and humid | east | the Obelisk and the Casa Rosada | tango and football
Chengdu, China | 16 | - | Jin | humid subtropical with cloudy skies | southwest | the Wuhou shrine and Jinli street | pandas and spicy food
Ahmedabad, India | 5.6 | - | Sabarmati | hot and dry | west | Gandhi's ashram | textiles
Casablanca, Morocco | 3.7 | the Atlantic Ocean | - | mild with dry summers | west | the Hassan mosque above the sea | a film with Humphrey Bogart
Chicago, USA | 2.7 | - | = | continental with windy cold winters | north | the Willis Tower and the Cloud Gate | skyscrapers and deep dish pizza
Xian, China | 9.4 | - | Wei | temperate and dry | center | the Terracotta Army and a complete city wall | the beginning of the Silk Road
*Madrid, Spain | 3.3 | - | Manzanares | dry with hot summers | center | the Prado and the Royal Palace | football and art museums
Surabaya, Indonesia | 2.9 | the Java Sea | Kalimas | tropical and hot | Java | the Heroes Monument and a long bridge to an island | its port and shipyards
*Pyong Yang, North Korea | 3.2 | - | Taedong | continental with cold winters | west | the Juche Tower | parades and monuments
Nanjing, China | 8.5 | - | Yangtze | humid subtropical with hot summers | east | the mausoleum of Sun Yat-sen and old city walls | having been a capital and salted duck
*Kinshaha, Congo | 15 | - | Congo | tropical and hot | west | a palace of the people | rumba music
*Rome, Italy | 2.8 | - | Tiber | mediterranean | center | the Colosseum and the Trevi fountain | ancient ruins and the Vatican
*Taipei, China | 2.6 | - | Tamsui | humid subtropical | an island | the 101 tower and a palace museum | night markets and electronics
Osaka, Japan | 2.7 | the Seto Inland Sea | Yodo | humid subtropical | center | a great castle and Dotonbori | street food and comedy
*Kiev, Ukraine | 2.9 | - | Dnieper | continental with cold winters | north | Saint Sophia cathedral and the cave monastery | golden domes
Yangon, Myanmar | 5.2 | - | = | tropical with monsoon rain | south | the Shwedagon pagoda | pagodas and colonial houses
Toronto, Canada | 2.9 | - | Don | continental with cold winters | southeast | the CN Tower | immigrants of all nations and ice hockey
Zibo, China | 4.7 | - | Xiaofu | temperate with cold winters | east | the tombs of old Qi | ceramics and barbecue
Dalian, China | 5.2 | the Yellow Sea | - | temperate with cold winters | northeast | Xinghai square | its port, football and beaches
Taega, South Korea | 2.4 | - | Geumho | continental with very hot summers | southeast | Palgong mountain and a tower in a park | textiles and apples
*Addis Ababa, Ethopia | 3.9 | - | - | mild because of its altitude | center | the Trinity cathedral | coffee and the African Union
Jinan, China | 9.2 | - | Yellow | temperate with hot summers | east | Baotu spring and Daming lake | springs
Salvador, Brazil | 2.9 | the Atlantic Ocean | - | tropical and rainy | northeast | the Pelourinho and the Lacerda lift | carnival and African culture
Inchon, South Korea | 2.9 | the Yellow Sea | - | continental with cold winters | northwest | the largest airport of the country and a Chinatown | its airport and a landing in a war
Semarang, Indonesia | 1.7 | the Java Sea | Garang | tropical and hot | Java | Lawang Sewu and the Sam Poo Kong temple | spring rolls and an old Dutch town
Giza, Egypt | 4.4 | - | Nile | desert, hot and dry | north | the pyramids and the Sphinx | pyramids
Changchun, China | 9.1 | - | Yitong | continental with very cold winters | northeast | the palace of the last emperor | cars and films
*Havanna, Cuba | 2.1 | the Gulf of Mexico | Almendares | tropical | northwest | the Malecon and the Capitol | cigars, rum and old cars
Nagoya, Japan | 2.3 | the Pacific Ocean | Shonai | humid subtropical | center | a castle with golden fish and the Atsuta shrine | cars
Belo Horizonte, Brazil | 2.5 | - | Arrudas | tropical but mild in the hills | southeast | Pampulha's church | mining and bars
*Paris, France | 2.1 | - | Seine | temperate | north | the Eiffel Tower and the Louvre | art, fashion and cafes
*Tashkent, Uzbekistan | 2.9 | - | Chirchiq | dry with hot summers | northeast | the Chorsu bazaar | its metro and markets of the Silk Road
Fortaleza, Brazil | 2.7 | the Atlantic Ocean | Ceara | tropical and windy | northeast | Iracema beach | beaches and lace
Sukabumi, Indonesia | 0.4 | - | - | tropical but cool in the hills | Java | a volcano's foot with tea gardens | mochi cakes
Cali, Colombia | 2.2 | - | Cauca | tropical and warm | southwest | Cristo Rey | salsa dancing
Guayaquil, Ecuador | 2.7 | - | Guayas | tropical and humid | southwest | the Malecon 2000 and Las Penas hill | its port and bananas
Qingdao, China | 7.2 | the Yellow Sea | - | temperate | east | the Zhanqiao pier and Laoshan mountain | beer and German houses
Izmir, Turkey | 3 | the Aegean Sea | - | mediterranean | west | a clock tower on Konak square and Ephesus nearby | figs and its bay
Cirebon, Indonesia | 0.3 | the Java Sea | - | tropical and hot | Java | the Kasepuhan palace | shrimps and batik with clouds
Taiyuan, China | 5.3 | - | Fen | dry with cold winters | north | the Jinci temple and twin pagodas | coal and vinegar
*Brasilia, Brazil | 3 | - | - | tropical with dry winters | center | a cathedral like a crown and a congress of two bowls | modern architecture and a plan like an aeroplane
*Bucuresti, Romania | 1.8 | - | Dambovita | continental | southeast | the Palace of the Parliament | having been called little Paris
Faisalabad, Pakistan | 3.2 | - | - | hot and dry | northeast | a clock tower where eight bazaars meet | textiles
Medan, Indonesia | 2.4 | - | Deli | tropical and rainy | Sumatra | the Maimun palace and the great mosque | durian and plantations
Houston, USA | 2.3 | - | Buffalo Bayou | humid subtropical | south | the space centre | space flight and oil
Mashhad, Iran | 3 | - | - | dry with cold winters | northeast | the shrine of Imam Reza | pilgrims and saffron
Medellin, Colombia | 2.5 | - | = | spring all year round | northwest | cable cars up the hills and Botero's statues | flowers and its cable cars
Kanpur, India | 2.8 | - | Ganges | hot with monsoon rain | north | a park of all souls | leather
*Budapest, Hungary | 1.7 | - | Danube | continental | center | the Parliament and the Chain Bridge | thermal baths
*Caracas, Venezuela | 2.9 | - | Guaire | tropical but mild in the hills | north | Avila mountain | oil and Simon Bolivar
Abidjan, Ivory Coast | 5.6 | the Gulf of Guinea | - | tropical and humid | south | Saint Paul's cathedral and the Plateau | cocoa and its lagoon
Ho Chi Minh City, Vietnam | 9 | - | Saigon | tropical with monsoon rain | south | Notre Dame and the Reunification Palace | motorbikes and a war
Hong Kong, China | 7.4 | the South China Sea | Shing Mun | humid subtropical | south | Victoria Peak and the Star Ferry | finance and its skyline
Los Angeles, USA | 3.9 | the Pacific Ocean | = | mediterranean | west | the Hollywood sign and Venice beach | films and motorways
*Mexico City, Mexico | 9.2 | - | - | mild because of its altitude | center | the Zocalo and the Angel of Independence | an Aztec capital below it and museums
New York, USA | 8.5 | the Atlantic Ocean | Hudson | humid with cold winters | northeast | the Statue of Liberty and Times Square | finance, theatre and never sleeping
Quezon City, Philippines | 3 | - | Marikina | tropical with typhoons | Luzon | the Memorial Circle | television and universities
Rio de Janeiro, Brazil | 6.7 | the Atlantic Ocean | - | tropical | southeast | Christ the Redeemer and Sugarloaf mountain | carnival and Copacabana
St Petersburg, Russia | 5.4 | the Baltic Sea | Neva | humid with long winters | northwest | the Hermitage and the Winter Palace | white nights and canals
`;

export interface City {
  /** As in ArCHer's list: "Bombay, India". */
  name: string;
  /** What precedes the comma. */
  city: string;
  country: string;
  isCapital: boolean;
  /** Millions. */
  population: number;
  sea: string | null;
  /** '=': it has the city's name. */
  river: string | null;
  climate: string;
  /** Part of the country: a direction, or an island's name. */
  part: string;
  landmarks: string;
  knownFor: string;
}

/** ArCHer's 91 and LMRL-Gym's further nine. */
export const allCities: readonly City[] = table
  .trim()
  .split('\n')
  .map((line): City => {
    const [place, population, sea, river, climate, part, landmarks, knownFor] = line
      .split('|')
      .map((text) => text.trim());
    const name = place.replace('*', '');
    const [city, country] = name.split(', ');
    return {
      name,
      city,
      country,
      isCapital: place.startsWith('*'),
      population: Number(population),
      sea: sea === '-' ? null : sea,
      river: river === '-' ? null : river,
      climate,
      part,
      landmarks,
      knownFor,
    };
  });
