// Written by find-first-functions.ts.

/** The quickjs.wasm whose functions are numbered here: SHA-256. */
export const engineHash = 'd4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9';

/** Which of them the core has: a bit for each, in base64. */
export const firstFunctions = [
  'ALDvFP/xvtcAgf83/P97z////2eXruz1Hn9/8/3vnv74h3PNAoj//93/8/vzq4D+x3v4PwAm/ncUAcDfHp1tj4/2T8',
  'BPe0fPu67QB1AdgK7+v0p9/r8JxgQAsAUEAARePAAAQAAQYB0AHQAAIABgEgEBAAr/n/7nTvXz/9D93981/v/fz/7/',
  '/YMf8IBAKAYSAAAAAABAKP70IAEGBwCUtOcBAAB4AIRaAAAAAAACAAAABgAAAAAA0J/8t+sTBQEDexKBoJghalDAC8',
  'Dj5A+jDwAAAACABA==',
].join('');
