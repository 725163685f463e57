// What an image or a document costs a model: not what its base64 would as a text. For estimates, where no server has
// counted yet.

/** What the API's documentation says of the largest image that isn't scaled down. */
export const tokensPerImage = 1_600;

/** Base64 characters of a PDF for one token: a page has some 50 kB, and 3000 tokens as text and image. */
export const documentCharactersPerToken = 20;
