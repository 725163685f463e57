// Texts of many languages, each in the encodings that its files come in.
import { encodeText, type TextEncoding } from '../../../src/text/encoding.ts';

export interface EncodedText {
  readonly encoding: TextEncoding;
  readonly hasBom: boolean;
  readonly text: string;
}

const french = '# Où est le café ?\n# La mère a été là – “hélas”.\nprice = 3\n';
const german = '// Größe prüfen, Schlüssel übernehmen\nconst size = 3;\n';
const spanish = '// ¿Dónde está el niño? Añadir la función aquí.\nconst uno = 1;\n';
const danish = '// Blåbærgrød på Østerbro, læs også det næste\nconst to = 2;\n';
const polish = '// Zażółć gęślą jaźń, proszę wybrać właściwy plik\nconst trzy = 3;\n';
const russian = '// Привет, мир: проверка ввода и вывода\nconst четыре = 4;\n';
const ukrainian = '// Перевірка налаштувань перед запуском\nconst one = 1;\n';
const japanese = '// こんにちは世界。設定を読み込む\n// データベース接続エラー\nconst go = 5;\n';
const chinese = '// 你好，世界：读取配置文件，返回数据\nconst six = 6;\n';
const taiwanese = '// 你好，世界：讀取設定檔案，返回資料，二十個\nconst six = 6;\n';
const greek = '// Καλημέρα κόσμε, έλεγχος ρυθμίσεων\nconst eight = 8;\n';
const arabic = '// مرحبا بالعالم، تحقق من الإعدادات قبل التشغيل\nconst nine = 9;\n';
const korean = '// 안녕하세요 세계: 설정 파일을 읽는다\nconst seven = 7;\n';

const textsOf: readonly (readonly [TextEncoding, boolean, readonly string[]])[] = [
  ['utf-8', false, [french, russian, japanese, chinese]],
  ['utf-8', true, [german, polish, korean]],
  ['utf-16le', true, [spanish, russian, taiwanese]],
  ['utf-16be', true, [danish, japanese, korean]],
  ['windows-1252', false, [french, german, spanish, danish]],
  ['windows-1250', false, [polish]],
  ['iso-8859-2', false, [polish]],
  ['windows-1251', false, [russian, ukrainian]],
  ['windows-1253', false, [greek]],
  ['windows-1256', false, [arabic]],
  ['koi8-r', false, [russian]],
  ['ibm866', false, [russian]],
  ['shift_jis', false, [japanese]],
  ['euc-jp', false, [japanese]],
  ['gbk', false, [chinese]],
  ['big5', false, [taiwanese]],
  ['euc-kr', false, [korean]],
];

/** Each text in its encodings, with both line ends: 60 files in 16 encodings. */
export const encodedTexts: readonly EncodedText[] = textsOf.flatMap(([encoding, hasBom, texts]) =>
  texts
    .flatMap((text) => [text, text.replaceAll('\n', '\r\n')])
    .map((text) => ({ encoding, hasBom, text })),
);

export function toBytes({ text, ...format }: EncodedText): Uint8Array {
  return encodeText(text, format);
}
