// Estimates how many tokens an image or a document takes, before a server has counted them. The base64 as text would
// take far more.

/** The API's documentation gives this number for the largest image that isn't scaled down. */
export const tokensPerImage = 1_600;

/**
 * How many base64 characters of a PDF count as one token: a page has some 50 kB, and takes 3000 tokens as text and
 * image.
 */
export const documentCharactersPerToken = 20;
