// Tools of services that don't exist, as many as a bench asks for. In each trade several services
// offer nearly the same, in words and in a style of names of their own. The same number gives the
// same.
import { services, trades, verbs, type Trade, type Verb } from './trades.ts';
import type { RemoteTool } from './tool-set.ts';

type NameStyle = (service: string, verb: string, noun: string) => string;

const nameStyles: readonly NameStyle[] = [
  (_service, verb, noun) => snake(verb, noun),
  (service, verb, noun) => snake(service, verb, noun),
  (_service, verb, noun) => snake(verb, noun).replaceAll('_', '-'),
  (_service, verb, noun) =>
    snake(verb, noun).replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
];

/** Four of each trade: enough that what one does the next does too. */
const servicesPerTrade = 4;

/** Throws where there aren't so many. */
export function generateTools(count: number): readonly RemoteTool[] {
  const random = createRandom(20_261_122);
  const all = trades.flatMap((trade, at) =>
    services
      .slice(at * servicesPerTrade, (at + 1) * servicesPerTrade)
      .flatMap((service, place) => toTools(trade, service, place)),
  );
  if (all.length < count) throw new RangeError(`There are only ${all.length} generated tools.`);
  return shuffle(all, random).slice(0, count);
}

/** Each service has its own style of names and of sentences. */
function toTools(trade: Trade, service: string, place: number): RemoteTool[] {
  const toName = nameStyles[place % nameStyles.length] as NameStyle;
  return trade.nouns.flatMap((noun) =>
    verbs.map((verb) => ({
      server: service,
      name: toName(service, verb.name, verb.isOfMany ? toPlural(noun) : noun),
      properties: toProperties(verb, noun),
      description: toDescription(verb, noun, service, trade, place),
    })),
  );
}

function toDescription(
  { says, isOfMany }: Verb,
  noun: string,
  service: string,
  { place: where }: Trade,
  at: number,
): string {
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a';
  const what = isOfMany ? toPlural(noun) : `${article} ${noun}`;
  const product = service[0]?.toUpperCase() + service.slice(1);
  const sentence = says[at % says.length] as string;
  const places = ['', ` in ${product}`, ` of your ${product} ${where}`, ` in the ${where}`];
  return `${sentence.replace('…', what)}${places[at % places.length] as string}.`;
}

function toProperties({ takes }: Verb, noun: string): RemoteTool['properties'] {
  return takes.map(([name, type]) => [name.replace('…', noun.replaceAll(' ', '_')), type] as const);
}

function toPlural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

function snake(...words: readonly string[]): string {
  return words.join('_').replaceAll(' ', '_');
}

function shuffle<T>(values: readonly T[], random: () => number): T[] {
  const shuffled = [...values];
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T];
  }
  return shuffled;
}

/** A linear congruential generator with the constants of Numerical Recipes: from 0 up to 1. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
