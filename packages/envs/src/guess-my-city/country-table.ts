// What is asked about countries, of our own writing: one line each.
// name | continent | regions | language | currency | religion | neighbours | dishes

const table = `
South Korea | Asia | East Asia | Korean | the won | Christianity and Buddhism | North Korea | kimchi and bibimbap
North Korea | Asia | East Asia | Korean | the North Korean won | no religion | South Korea, China, Russia | cold noodles and kimchi
Brazil | South America | Latin America | Portuguese | the real | Catholicism | Argentina, Paraguay, Uruguay, Bolivia, Peru, Colombia, Venezuela, Guyana, Suriname, French Guiana | feijoada and churrasco
India | Asia | South Asia | Hindi and many regional languages | the rupee | Hinduism | Pakistan, China, Nepal, Bhutan, Bangladesh, Myanmar | curry, dosa and biryani
Indonesia | Asia | Southeast Asia | Indonesian | the rupiah | Islam | Malaysia, Papua New Guinea, East Timor | nasi goreng, satay and rendang
Pakistan | Asia | South Asia | Urdu | the Pakistani rupee | Islam | India, Iran, Afghanistan, China | biryani, nihari and kebabs
Russia | Europe | Eastern Europe | Russian | the rouble | Orthodox Christianity | Ukraine, Belarus, Finland, Estonia, Latvia, Norway, Poland, Lithuania, Georgia, Azerbaijan, Kazakhstan, Mongolia, China, North Korea | borscht, blini and pelmeni
Turkey | Asia | the Middle East, West Asia | Turkish | the lira | Islam | Greece, Bulgaria, Georgia, Armenia, Azerbaijan, Iran, Iraq, Syria | kebab, baklava and meze
China | Asia | East Asia | Chinese | the yuan | Buddhism and folk religion | Russia, Mongolia, North Korea, India, Pakistan, Nepal, Bhutan, Myanmar, Laos, Vietnam, Kazakhstan, Kyrgyzstan, Tajikistan, Afghanistan | noodles, dumplings and rice
Japan | Asia | East Asia | Japanese | the yen | Shinto and Buddhism |  | sushi and ramen
Thailand | Asia | Southeast Asia | Thai | the baht | Buddhism | Myanmar, Laos, Cambodia, Malaysia | pad thai and tom yum soup
UK | Europe | Western Europe, Northern Europe | English | the pound sterling | Christianity | Ireland | fish and chips and Sunday roast
Egypt | Africa | North Africa, the Middle East | Arabic | the Egyptian pound | Islam | Libya, Sudan, Israel, Palestine | koshari and ful medames
Iran | Asia | the Middle East, West Asia | Persian | the rial | Islam | Iraq, Turkey, Armenia, Azerbaijan, Turkmenistan, Afghanistan, Pakistan | kebab, ghormeh sabzi and saffron rice
Colombia | South America | Latin America | Spanish | the Colombian peso | Catholicism | Venezuela, Brazil, Peru, Ecuador, Panama | arepas, ajiaco and bandeja paisa
Peru | South America | Latin America | Spanish | the sol | Catholicism | Ecuador, Colombia, Brazil, Bolivia, Chile | ceviche and lomo saltado
Chile | South America | Latin America | Spanish | the Chilean peso | Catholicism | Argentina, Bolivia, Peru | empanadas and pastel de choclo
Australia | Oceania | Oceania | English | the Australian dollar | Christianity |  | meat pies and barbecue
Singapore | Asia | Southeast Asia | English, Malay, Chinese and Tamil | the local dollar | Buddhism | Malaysia | chilli crab and chicken rice
Iraq | Asia | the Middle East, West Asia | Arabic | the Iraqi dinar | Islam | Iran, Turkey, Syria, Jordan, Saudi Arabia, Kuwait | masgouf and dolma
Bangladesh | Asia | South Asia | Bengali | the taka | Islam | India, Myanmar | rice with hilsa fish
Germany | Europe | Western Europe, Central Europe | German | the euro | Christianity | France, Poland, Austria, Switzerland, Denmark, the Netherlands, Belgium, Luxembourg, Czechia | sausages, schnitzel and pretzels
Argentina | South America | Latin America | Spanish | the Argentine peso | Catholicism | Chile, Bolivia, Paraguay, Brazil, Uruguay | asado and empanadas
Morocco | Africa | North Africa | Arabic | the dirham | Islam | Algeria, Spain, Western Sahara | couscous and tagine
USA | North America | North America | English | the US dollar | Christianity | Canada, Mexico | burgers and barbecue
Spain | Europe | Western Europe, Southern Europe | Spanish | the euro | Catholicism | Portugal, France, Andorra, Morocco | tapas and paella
Congo | Africa | Central Africa | French and Lingala | the Congolese franc | Christianity | Angola, Zambia, Tanzania, Burundi, Rwanda, Uganda, South Sudan, the Central African Republic, the Republic of the Congo | fufu and chicken moambe
Italy | Europe | Western Europe, Southern Europe | Italian | the euro | Catholicism | France, Switzerland, Austria, Slovenia, San Marino, Vatican City | pasta and pizza
Ukraine | Europe | Eastern Europe | Ukrainian | the hryvnia | Orthodox Christianity | Russia, Belarus, Poland, Slovakia, Hungary, Romania, Moldova | borscht and varenyky
Myanmar | Asia | Southeast Asia | Burmese | the kyat | Buddhism | Thailand, Laos, China, India, Bangladesh | mohinga and tea leaf salad
Canada | North America | North America | English and French | the Canadian dollar | Christianity | USA | poutine and peameal bacon
Ethopia | Africa | East Africa | Amharic | the birr | Orthodox Christianity | Eritrea, Djibouti, Somalia, Kenya, Sudan, South Sudan | injera with doro wat
Cuba | North America | the Caribbean, Latin America | Spanish | the Cuban peso | Catholicism |  | ropa vieja and rice with black beans
France | Europe | Western Europe | French | the euro | Catholicism | Spain, Belgium, Luxembourg, Germany, Switzerland, Italy, Andorra, Monaco | baguettes, cheese and croissants
Uzbekistan | Asia | Central Asia | Uzbek | the sum | Islam | Kazakhstan, Kyrgyzstan, Tajikistan, Turkmenistan, Afghanistan | plov and shashlik
Ecuador | South America | Latin America | Spanish | the US dollar | Catholicism | Colombia, Peru | encebollado and ceviche
Romania | Europe | Eastern Europe | Romanian | the leu | Orthodox Christianity | Hungary, Ukraine, Moldova, Bulgaria, Serbia | sarmale and mici
Hungary | Europe | Central Europe, Eastern Europe | Hungarian | the forint | Catholicism | Austria, Slovakia, Ukraine, Romania, Serbia, Croatia, Slovenia | goulash and langos
Venezuela | South America | Latin America | Spanish | the bolivar | Catholicism | Colombia, Brazil, Guyana | arepas and pabellon
Ivory Coast | Africa | West Africa | French | the West African franc | Islam and Christianity | Ghana, Liberia, Guinea, Mali, Burkina Faso | attieke and grilled fish
Vietnam | Asia | Southeast Asia | Vietnamese | the dong | folk religion and Buddhism | China, Laos, Cambodia | pho and banh mi
Mexico | North America | Latin America | Spanish | the Mexican peso | Catholicism | USA, Guatemala, Belize | tacos and mole
Philippines | Asia | Southeast Asia | Filipino and English | the Philippine peso | Catholicism |  | adobo and lechon
`;

export interface Country {
  name: string;
  continent: string;
  /** Parts of the world that it belongs to, besides the continent. */
  regions: readonly string[];
  language: string;
  currency: string;
  religion: string;
  neighbours: readonly string[];
  dishes: string;
}

export const countries: ReadonlyMap<string, Country> = new Map(
  table
    .trim()
    .split('\n')
    .map((line): [string, Country] => {
      const [name, continent, regions, language, currency, religion, neighbours, dishes] = line
        .split('|')
        .map((text) => text.trim());
      const list = (text: string) => (text === '' ? [] : text.split(', '));
      return [
        name,
        { name, continent, regions: list(regions), language, currency, religion, neighbours: list(neighbours), dishes },
      ];
    }),
);
