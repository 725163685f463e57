// Written by find-first-functions.ts.

/** The quickjs.wasm whose functions are numbered here: SHA-256. */
export const engineHash = 'd4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9';

/** Which of them the core has: a bit for each, in base64. */
export const firstFunctions = [
  'ALDvFP/xvtcAgf83/P97zf///2OXruz1Hnd/8/3vHv74h3PtIoz//93/d/rTK4D+x3vwPwAm/ncUAcBfHp1tj4/2T8',
  'BPe0fPq67QA1AdgK7+v0pd/r8JxgQAsAUAAARAPAAAQAAQYB0AHQAAIABgAgEBAAr/H/7nTvXy/9D9z981/v/fz/7/',
  '/QMAAIBAKAYCAAAAAABAKP70IAEAAwAAlIUBAABYAIRaAAAAAAACAAAABgAAAAAA0J/8twkBBQEDexCBoJgBClDACs',
  'Dj5A8jDwAAAACABA==',
].join('');
