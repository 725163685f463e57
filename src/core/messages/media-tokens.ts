// What an image or a document costs a model: not what its base64 would as a text. For estimates, where no server has
// counted yet.

/** What the API's documentation says of the largest image that isn't scaled down. */
export const tokensPerImage = 1_600;

/** Of a PDF's base64: a page of it is some 50 kB and 3000 tokens, its text, and itself as an image. */
export const documentCharactersPerToken = 20;
