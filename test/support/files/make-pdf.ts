// Makes small PDF files for tests, by hand: pages of text in Helvetica, and pages that are a picture, as
// scanners make them. Nothing is compressed.

export type PdfPage =
  | { readonly text: string }
  /** One colour over the whole page, and no text. */
  | { readonly scan: readonly [red: number, green: number, blue: number] }
  /** A picture that no reader decodes, over the whole page. */
  | { readonly undecodable: true }
  /** The tree of pages names it, and it isn't there. */
  | { readonly missing: true };

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** `extraTrailer` goes into the trailer: an `/Encrypt` there makes a file that asks for a password. */
export function makePdf(pages: readonly PdfPage[], extraTrailer = ''): Uint8Array<ArrayBuffer> {
  const objects: string[] = [];
  const kids = pages
    .map((page, index) => ('missing' in page ? '9999 0 R' : `${4 + index * 3} 0 R`))
    .join(' ');
  objects[1] = '<< /Type /Catalog /Pages 2 0 R >>';
  objects[2] = `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`;
  objects[3] = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
  pages.forEach((page, index) => {
    const at = 4 + index * 3;
    objects[at] =
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] ' +
      `/Resources << /Font << /F 3 0 R >> /XObject << /I ${at + 2} 0 R >> >> /Contents ${at + 1} 0 R >>`;
    objects[at + 1] = stream(
      '',
      'text' in page ? drawText(page.text) : 'q 300 0 0 400 0 0 cm /I Do Q',
    );
    const colour = 'scan' in page ? page.scan : [255, 255, 255];
    const filter = 'undecodable' in page ? ' /Filter /JPXDecode' : '';
    objects[at + 2] = stream(
      `/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceRGB /BitsPerComponent 8${filter}`,
      String.fromCharCode(...colour),
    );
  });
  return assemble(objects, extraTrailer);
}

/** With lines of a server's own before the header. */
export function withJunk(pdf: Uint8Array): Uint8Array {
  const junk = latin1('Content-Type: application/pdf\r\n\r\n');
  const bytes = new Uint8Array(junk.length + pdf.length);
  bytes.set(junk);
  bytes.set(pdf, junk.length);
  return bytes;
}

/** A file that opens with a password alone: the standard handler, whose checks nothing here passes. */
export function makeEncryptedPdf(): Uint8Array<ArrayBuffer> {
  const check = '00'.repeat(32);
  return makePdf(
    [{ text: 'secret' }],
    `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${check}> /U <${check}> /P -4 >> ` +
      '/ID [<00> <00>]',
  );
}

function drawText(text: string): string {
  const lines = text.split('\n').map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`);
  return `BT /F 12 Tf 14 TL 20 370 Td ${lines.join(' ')} ET`;
}

function stream(entries: string, content: string): string {
  return `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

/** Ends with the table of the objects' offsets. */
function assemble(objects: readonly string[], extraTrailer: string): Uint8Array<ArrayBuffer> {
  let file = '%PDF-1.4\n';
  const offsets: number[] = [];
  objects.forEach((content, number) => {
    offsets[number] = file.length;
    file += `${number} 0 obj\n${content}\nendobj\n`;
  });
  const table = file.length;
  const rows = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  file += `xref\n0 ${objects.length}\n0000000000 65535 f \n${rows.join('')}`;
  file += `trailer\n<< /Size ${objects.length} /Root 1 0 R ${extraTrailer} >>\nstartxref\n${table}\n%%EOF\n`;
  return latin1(file);
}
