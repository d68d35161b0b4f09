import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, test } from 'vitest';
import { estimateText } from './estimate-text.ts';
import { maxInputTokens, measureInput } from './input-size.ts';

/** The estimates are compared with OpenAI's own tokenizer, which only tests use. */
const tokenizer = new Tiktoken(o200k);
const count = (text: string) => tokenizer.encode(text, [], []).length;

/** A paragraph in each language, as people write it. */
const languages: Readonly<Record<string, string>> = {
  english:
    'The committee met on Thursday to discuss the new library. Most members agreed that the old building was too small, and that its roof would not survive another winter. They asked the architect for three drawings by the end of the month.',
  german:
    'Die Bürgermeisterin eröffnete gestern die neue Straßenbahnlinie, die das Krankenhaus mit dem Hauptbahnhof verbindet. Viele Anwohner hatten jahrelang darauf gewartet und freuten sich über die kürzeren Wege.',
  french:
    "Le musée a rouvert ses portes après deux années de travaux. Les visiteurs découvrent désormais une salle consacrée aux peintres de la région, ainsi qu'un petit café donnant sur le jardin intérieur.",
  spanish:
    'El pequeño barco salió del puerto antes del amanecer. Los pescadores llevaban café caliente y hablaban en voz baja, porque la niebla cubría toda la bahía y apenas se veía el faro.',
  polish:
    'Wczoraj wieczorem sąsiedzi spotkali się przed szkołą, żeby porozmawiać o nowym placu zabaw. Większość z nich chciała, aby drzewa pozostały na swoim miejscu, a ścieżki były szersze.',
  vietnamese:
    'Sáng nay trời mưa rất to nên nhiều người đến muộn. Chúng tôi ngồi trong quán cà phê nhỏ ở góc phố và nói chuyện về chuyến đi tuần trước.',
  turkish:
    'Kütüphanenin yeni bölümü öğrencilere hafta sonları da açık olacak. Görevliler kitapların yerlerini değiştirdiler ve çalışma masalarının sayısını artırdılar.',
  russian:
    'Вчера вечером мы долго гуляли по набережной и разговаривали о книгах. Погода была тёплая, на воде стояли лодки, и никто не хотел возвращаться домой раньше полуночи.',
  ukrainian:
    'Учора ввечері ми довго гуляли набережною та розмовляли про книжки. Погода була тепла, і ніхто не хотів повертатися додому раніше опівночі.',
  greek:
    'Το μικρό βιβλιοπωλείο στη γωνία έκλεισε μετά από σαράντα χρόνια. Οι πελάτες του άφησαν λουλούδια στην πόρτα και ένα σημείωμα με τα αγαπημένα τους βιβλία.',
  hebrew:
    'הספרייה החדשה נפתחה אתמול בבוקר, ותושבים רבים הגיעו לראות אותה. הילדים קראו סיפורים בקומה הראשונה, והמבוגרים ישבו ליד החלונות הגדולים.',
  arabic:
    'افتتحت المكتبة الجديدة صباح أمس وحضر كثير من السكان لرؤيتها. قرأ الأطفال القصص في الطابق الأول وجلس الكبار بجانب النوافذ الواسعة.',
  persian:
    'کتابخانهٔ تازه دیروز صبح باز شد و بسیاری از مردم برای دیدن آن آمدند. کودکان در طبقهٔ اول داستان می‌خواندند و بزرگ‌ترها کنار پنجره‌ها نشسته بودند.',
  hindi:
    'कल सुबह नया पुस्तकालय खुला और बहुत से लोग उसे देखने आए। बच्चों ने पहली मंज़िल पर कहानियाँ पढ़ीं और बड़े लोग खिड़कियों के पास बैठे रहे।',
  bengali: 'গতকাল সকালে নতুন গ্রন্থাগারটি খোলা হয়েছে এবং অনেক মানুষ সেটি দেখতে এসেছিলেন। শিশুরা প্রথম তলায় গল্প পড়েছিল।',
  tamil: 'நேற்று காலை புதிய நூலகம் திறக்கப்பட்டது, அதைப் பார்க்க பலர் வந்தனர். குழந்தைகள் முதல் மாடியில் கதைகளைப் படித்தனர்.',
  thai: 'เมื่อวานตอนเช้าห้องสมุดแห่งใหม่เปิดให้บริการและมีผู้คนมากมายมาเยี่ยมชม เด็ก ๆ อ่านนิทานที่ชั้นหนึ่ง ส่วนผู้ใหญ่นั่งอยู่ข้างหน้าต่างบานใหญ่',
  georgian:
    'გუშინ დილით ახალი ბიბლიოთეკა გაიხსნა და ბევრი ადამიანი მოვიდა მის სანახავად. ბავშვები პირველ სართულზე ზღაპრებს კითხულობდნენ.',
  armenian:
    'Երեկ առավոտյան բացվեց նոր գրադարանը, և շատ մարդիկ եկան այն տեսնելու։ Երեխաները առաջին հարկում հեքիաթներ էին կարդում։',
  chinese:
    '昨天上午新的图书馆正式开放,许多居民前来参观。孩子们在一楼读故事书,大人们坐在宽大的窗户旁边,一边喝茶一边翻阅报纸。',
  traditional: '昨天上午新的圖書館正式開放,許多居民前來參觀。孩子們在一樓讀故事書,大人們坐在寬大的窗戶旁邊。',
  japanese:
    '昨日の朝、新しい図書館が開館し、多くの住民が見学に訪れました。子どもたちは一階で物語を読み、大人たちは大きな窓のそばに座ってコーヒーを飲んでいました。',
  katakana: 'コンピューターのプログラムをインストールするには、ダウンロードしたファイルをダブルクリックしてください。',
  korean:
    '어제 아침 새로운 도서관이 문을 열었고 많은 주민들이 구경하러 왔습니다. 아이들은 일 층에서 동화를 읽었고 어른들은 큰 창가에 앉아 있었습니다.',
};

const rows = (length: number, row: (index: number) => string) =>
  Array.from({ length }, (_, index) => row(index)).join('\n');
const items = Array.from({ length: 12 }, (_, index) => ({
  id: index + 1,
  name: `Item ${index}`,
  price: 12.5 * index,
  active: index % 2 === 0,
  tags: ['new', 'sale'],
}));
const formats: Readonly<Record<string, string>> = {
  code: 'export function getSum(values: readonly number[]): number {\n  let total = 0;\n  for (const value of values) {\n    if (Number.isFinite(value)) total += value;\n  }\n  return total;\n}\n',
  python:
    'def read_rows(path):\n    with open(path, encoding="utf-8") as file:\n        for line in file:\n            name, amount = line.rstrip().split(",")\n            yield name, float(amount)\n',
  json: JSON.stringify(items, null, 2),
  'json in one line': JSON.stringify(items),
  csv: rows(30, (index) => `2026-11-${10 + (index % 20)},${(index * 37.13).toFixed(2)},EUR,DE${1000 + index * 7}`),
  log: rows(
    15,
    (index) =>
      `2026-11-27T14:0${index % 10}:12.${100 + index}Z INFO  [http-${index}] GET /v1/models/${index} 200 id=req_${(index * 7919).toString(16)}`,
  ),
  latex:
    '\\begin{align}\n \\int_0^\\infty e^{-x^2}\\,dx &= \\frac{\\sqrt{\\pi}}{2} \\\\\n \\sum_{n=1}^{\\infty} \\frac{1}{n^2} &= \\frac{\\pi^2}{6}\n\\end{align}\n',
  base64: Buffer.from(Array.from({ length: 400 }, (_, i) => (i * 7919 + 13) % 256)).toString('base64'),
  emoji: '😀🎉👍🏽❤️🚀🔥😂🙏🥳👨‍👩‍👧‍👦🌍⭐🍕🎂🐱'.repeat(3),
  markdown:
    '# Title\n\n- first item\n- **second** item with `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> A quote.\n\n```js\nconst a = 1;\n```\n',
  html: '<div class="card"><h2>Title</h2><p>Some <b>bold</b> text and a <a href="https://example.com/page?id=12">link</a>.</p></div>\n'.repeat(
    3,
  ),
  spaces: `a${' '.repeat(400)}b\n${'\n'.repeat(40)}`,
  hello: 'Hello',
  caps: 'PLEASE READ ALL OF THE FOLLOWING INSTRUCTIONS BEFORE YOU BEGIN TO USE THIS DEVICE',
  uuid: Array.from({ length: 8 }, (_, i) => `3f2504e0-4f89-41d3-9a0c-0305e82c33${i}1`).join('\n'),
  dense: '\u{13000}'.repeat(100),
};

test.each(Object.entries({ ...languages, ...formats }))(
  "the estimate differs from the tokenizer's count by at most a quarter: %s",
  (_name, text) => {
    const share = estimateText(text) / count(text);
    expect(share).toBeGreaterThanOrEqual(0.74);
    expect(share).toBeLessThanOrEqual(1.26);
  },
);

test('estimating 360 KB of text takes no longer than a frame', () => {
  const text = 'The quick brown fox, 漢字 and числа 12345. '.repeat(9_000);
  estimateText(text);
  const times = Array.from({ length: 5 }, () => {
    const begun = performance.now();
    estimateText(text);
    return performance.now() - begun;
  });
  expect(Math.min(...times)).toBeLessThan(60);
});

describe('the maximum for an input', () => {
  const model = { provider: 'openai', model: 'gpt-5.4', contextLength: null };
  const maxTokens = (content: string) =>
    maxInputTokens(measureInput({ messages: [{ role: 'user', content, name: undefined }], parameters: {} }), model);

  test.each(Object.entries({ ...languages, ...formats }))(
    "the maximum for an input is never below the tokenizer's count: %s",
    (_name, text) => {
      // OpenAI adds three tokens for each message and three for the beginning of the answer.
      expect(maxTokens(text)).toBeGreaterThanOrEqual(count(text) + 6);
    },
  );

  test("the maximum for an input is never below the tokenizer's count, for any text", () => {
    const hostile = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 100 }),
      fc.base64String({ maxLength: 200 }),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        expect(maxTokens(text)).toBeGreaterThanOrEqual(count(text) + 6);
      }),
      { numRuns: 300 },
    );
  });
});
