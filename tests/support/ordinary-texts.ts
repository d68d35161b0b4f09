import type { Token, Tokens } from 'marked';

/** Ordinary sentences in the scripts of most languages. */
export const sentences: Readonly<Record<string, readonly string[]>> = {
  'Latin with typographic quotes and emoji': [
    'It’s “worth it” — but only if you don’t mind the price… ✅',
    '🚀 Launch on the 5th, then we’ll see: 20 € → 25 €, ≥ 2 people ⚠️',
  ],
  Cyrillic: [
    'Это обычное предложение о программе и её настройках.',
    'Сначала установите API, затем проверьте JSON-файл.',
  ],
  Greek: ['Αυτή είναι μια συνηθισμένη πρόταση για το πρόγραμμα.', 'Πρώτα εγκαταστήστε το API και μετά δοκιμάστε.'],
  Hebrew: ['זהו משפט רגיל בעברית עם המספר 42 ועם מילים נוספות.', 'קודם מתקינים את ה־API, ואחר כך בודקים (פעמיים).'],
  Arabic: ['هذه جملة عادية باللغة العربية مع الرقم 42 وكلمات أخرى.', 'أولاً ثبّت واجهة API ثم تحقق من ملف JSON (مرتين).'],
  Devanagari: ['यह हिन्दी में एक साधारण वाक्य है जिसमें 42 संख्या है।', 'पहले API स्थापित करें, फिर JSON फ़ाइल जाँचें।'],
  Thai: ['นี่คือประโยคธรรมดาในภาษาไทยที่มีตัวเลข42และคำอื่นๆ', 'ติดตั้งAPIก่อนแล้วตรวจสอบไฟล์JSON'],
  Han: ['这是一个普通的中文句子，里面有数字42和其他词语。', '首先安装接口，然后检查配置文件，操作非常简单。'],
  Kana: [
    'これは普通の日本語の文章で、数字の42も含まれています。',
    'まずAPIをインストールし、ファイルをチェックします。',
  ],
  Hangul: ['이것은 숫자 42가 들어 있는 평범한 한국어 문장입니다.', '먼저 API를 설치하고 설정 파일을 확인하세요.'],
  Vietnamese: [
    'Đây là một câu tiếng Việt bình thường có số 42 và các từ khác.',
    'Trước hết hãy cài đặt API, rồi kiểm tra tệp cấu hình.',
  ],
};

export type BlockCounts = Readonly<Record<(typeof counted)[number], number>>;
const counted = ['p', 'heading', 'ul', 'ol', 'li', 'table', 'tr', 'blockquote', 'pre'] as const;

const none = (): Record<(typeof counted)[number], number> => ({
  ...{ p: 0, heading: 0, ul: 0, ol: 0, li: 0, table: 0, tr: 0, blockquote: 0, pre: 0 },
});

/** Counts the blocks of each kind in a parsed document. */
export function countTokens(tokens: readonly Token[], counts = none()): BlockCounts {
  for (const token of tokens) {
    if (token.type === 'paragraph' || token.type === 'html') counts.p += 1;
    if (token.type === 'heading') counts.heading += 1;
    if (token.type === 'blockquote') counts.blockquote += 1;
    if (token.type === 'code') counts.pre += 1;
    if (token.type === 'table') {
      counts.table += 1;
      counts.tr += 1 + (token as Tokens.Table).rows.length;
    }
    if (token.type === 'list') {
      const { ordered, items } = token as Tokens.List;
      counts[ordered ? 'ol' : 'ul'] += 1;
      counts.li += items.length;
      for (const item of items) countTokens(item.tokens, counts);
    }
    if (token.type === 'blockquote') countTokens((token as Tokens.Blockquote).tokens, counts);
  }
  return counts;
}

/** Counts the elements of each kind in HTML. */
export function countMarkup(html: string): BlockCounts {
  const counts = none();
  for (const [, tag = ''] of html.matchAll(/<(p|h[1-6]|ul|ol|li|table|tr|blockquote|pre)(?=[\s>])/g))
    counts[tag.startsWith('h') ? 'heading' : (tag as keyof BlockCounts)] += 1;
  return counts;
}
