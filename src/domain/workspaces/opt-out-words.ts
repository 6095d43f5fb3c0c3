/**
 * The words by which people opt out, in any language, whatever the language of the workspace. Each row: language (ISO
 * 639), source, whether people also use the words with another meaning, and the words as people write them. An
 * ambiguous word does not opt out by itself. Words are compared after `normalizeCommand`, so one entry covers every way
 * to write it.
 */

/**
 * `carriers`: the keywords that mobile carriers and Twilio obey. `usage`: what people write in that language, as one
 * word or fixed phrase. `button`: the network's opt-out button below marketing templates, seen in published templates.
 * `button, translated`: the same button in a language of which we have seen no published template.
 */
type WordSource = "carriers" | "usage" | "button" | "button, translated";

interface OptOutWord {
  language: string;
  word: string;
  source: WordSource;
  isAmbiguous: boolean;
}

const rows: readonly [
  language: string,
  source: WordSource,
  meaning: "clear" | "ambiguous",
  words: readonly string[],
][] = [
  ["en", "carriers", "clear", ["STOP", "STOPALL", "STOP ALL", "UNSUBSCRIBE", "OPT OUT", "OPTOUT", "OPT-OUT"]],
  ["en", "carriers", "ambiguous", ["CANCEL", "END", "QUIT", "REVOKE"]],
  ["en", "usage", "clear", ["un-subscribe", "unsubscribe me", "opt me out", "stop messages", "stop messaging me"]],
  ["en", "usage", "clear", ["stop marketing", "stop ads", "no more messages"]],
  ["en", "button", "clear", ["Stop promotions"]],

  ["es", "carriers", "ambiguous", ["BAJA", "ALTO", "CANCELAR"]],
  ["es", "usage", "clear", ["PARAR", "darme de baja", "dar de baja", "darse de baja", "dame de baja"]],
  ["es", "usage", "clear", ["desuscribirme", "desuscribir", "cancelar suscripción", "anular suscripción"]],
  ["es", "usage", "clear", ["no más mensajes", "no más promociones"]],
  ["es", "button", "clear", ["Detener promociones"]],

  ["pt", "carriers", "ambiguous", ["CANCELAR"]],
  ["pt", "usage", "clear", ["PARAR", "SAIR", "descadastrar", "cancelar inscrição", "cancelar assinatura"]],
  ["pt", "usage", "clear", ["parar mensagens", "chega de mensagens"]],
  ["pt", "button", "clear", ["Parar promoções"]],

  ["de", "usage", "clear", ["STOPP", "ABMELDEN", "abbestellen", "Abmeldung", "keine Werbung", "keine Werbung mehr"]],
  ["de", "button, translated", "clear", ["Promotionen stoppen", "Werbung stoppen", "Werbeaktionen stoppen"]],

  ["fr", "carriers", "clear", ["STOP SMS", "STOP PUB"]],
  ["fr", "usage", "clear", ["ARRÊT", "désabonner", "se désabonner", "me désabonner", "désabonnement"]],
  ["fr", "usage", "clear", ["désinscrire", "se désinscrire", "me désinscrire", "désinscription"]],
  ["fr", "button, translated", "clear", ["Arrêter les promotions", "Stop promotions"]],

  ["it", "usage", "clear", ["disiscrivimi", "disiscriviti", "annulla iscrizione", "cancella iscrizione"]],
  ["it", "button", "clear", ["Interrompi promozioni"]],

  ["nl", "usage", "clear", ["AFMELDEN", "uitschrijven", "stoppen"]],
  ["nl", "button, translated", "clear", ["Stop promoties", "Promoties stoppen"]],

  ["id", "carriers", "clear", ["UNREG"]],
  ["id", "usage", "clear", ["BERHENTI", "berhenti berlangganan", "stop promosi"]],
  ["id", "button, translated", "clear", ["Berhenti promosi", "Hentikan promosi"]],
  ["ms", "usage", "clear", ["BERHENTI", "berhenti melanggan"]],
  ["ms", "button, translated", "clear", ["Hentikan promosi", "Henti promosi"]],
  ["tl", "usage", "clear", ["itigil", "ihinto"]],

  ["tr", "carriers", "ambiguous", ["RET", "İPTAL", "DUR"]],
  ["tr", "usage", "clear", ["abonelikten çık", "aboneliği iptal et", "reklam istemiyorum"]],
  ["tr", "button, translated", "clear", ["Promosyonları durdur", "Tanıtımları durdur"]],

  ["ru", "usage", "clear", ["СТОП", "ОТПИСКА", "отписаться", "отпишите меня"]],
  ["ru", "button, translated", "clear", ["Остановить рекламу", "Остановить рассылку", "Отключить рекламу"]],
  ["uk", "usage", "clear", ["СТОП", "відписка", "відписатися"]],
  ["pl", "usage", "clear", ["wypisz", "wypisz mnie", "rezygnuję z subskrypcji"]],
  ["ro", "usage", "clear", ["dezabonare", "dezaboneaza-ma"]],

  ["ar", "usage", "clear", ["توقف", "إيقاف", "ايقاف", "أوقف", "اوقف", "إلغاء الاشتراك", "الغاء الاشتراك", "ستوب"]],
  ["ar", "usage", "ambiguous", ["الغاء", "إلغاء"]],
  ["ar", "button, translated", "clear", ["إيقاف العروض الترويجية", "إيقاف العروض", "إيقاف الترويج"]],
  ["fa", "usage", "clear", ["توقف", "لغو اشتراک"]],
  ["he", "carriers", "clear", ["הסר", "הסרה"]],

  ["hi", "usage", "clear", ["रोकें", "रोको", "स्टॉप", "सदस्यता रद्द करें", "सदस्यता समाप्त करें"]],
  ["hi", "usage", "ambiguous", ["बंद", "बंद करो", "बंद करें"]],
  ["hi", "button, translated", "clear", ["प्रमोशन रोकें", "प्रचार रोकें", "प्रमोशन बंद करें"]],
  ["mr", "usage", "clear", ["थांबवा", "स्टॉप"]],
  ["bn", "usage", "clear", ["স্টপ", "আনসাবস্ক্রাইব"]],
  ["bn", "usage", "ambiguous", ["বন্ধ", "বন্ধ করুন"]],
  ["ta", "usage", "clear", ["நிறுத்து", "நிறுத்தவும்", "ஸ்டாப்"]],
  ["te", "usage", "clear", ["ఆపండి", "స్టాప్"]],
  ["gu", "usage", "clear", ["રોકો", "સ્ટોપ"]],
  ["kn", "usage", "clear", ["ನಿಲ್ಲಿಸಿ", "ಸ್ಟಾಪ್"]],
  ["ml", "usage", "clear", ["നിർത്തുക", "സ്റ്റോപ്പ്"]],
  ["pa", "usage", "clear", ["ਰੋਕੋ", "ਸਟਾਪ"]],
  ["ur", "usage", "clear", ["روکیں", "سٹاپ", "اسٹاپ"]],

  ["zh", "carriers", "ambiguous", ["TD"]],
  ["zh", "usage", "clear", ["停止", "退订", "退訂", "取消订阅", "取消訂閱"]],
  ["zh", "button, translated", "clear", ["停止推广", "停止促销", "停止推廣"]],
  ["ja", "usage", "clear", ["停止", "配信停止", "ストップ", "登録解除"]],
  ["ko", "carriers", "clear", ["수신거부", "수신 거부"]],
  ["ko", "usage", "clear", ["구독취소", "구독 취소"]],
  ["th", "usage", "clear", ["ยกเลิกการสมัคร", "หยุดส่งข้อความ"]],
  ["vi", "carriers", "ambiguous", ["TC", "HUY"]],
  ["vi", "usage", "clear", ["hủy đăng ký", "huy dang ky", "ngừng nhận tin", "từ chối nhận tin"]],
];

export const OPT_OUT_WORDS: readonly OptOutWord[] = rows.flatMap(([language, source, meaning, words]) =>
  words.map((word) => ({ language, word, source, isAmbiguous: meaning === "ambiguous" })),
);

/** The words that lift an opt-out: Twilio's keywords, without YES, which also answers any other question. */
export const OPT_IN_WORDS: readonly string[] = ["START", "UNSTOP", "SUBSCRIBE"];
