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
  ["en", "usage", "clear", ["stop marketing", "stop ads", "stop spam", "no more messages", "opt_out"]],
  ["en", "usage", "clear", ["remove me", "remove me from your list", "stop sending messages", "do not message me"]],
  ["en", "usage", "clear", ["stop spamming me", "stop promotional messages"]],
  ["en", "usage", "clear", ["stop texting me", "stop sending me messages", "take me off your list"]],
  ["en", "usage", "clear", ["don't message me", "no more promotions", "stop notifications", "stop now"]],
  ["en", "usage", "clear", ["do not contact me again", "don't contact me again", "do not message me again"]],
  ["en", "usage", "clear", ["do not text me again", "don't text me again", "stop contacting me", "remove my number"]],
  ["en", "button", "clear", ["Stop promotions"]],

  ["es", "carriers", "ambiguous", ["BAJA", "ALTO", "CANCELAR"]],
  ["es", "usage", "clear", ["PARAR", "darme de baja", "dar de baja", "darse de baja", "dame de baja"]],
  ["es", "usage", "clear", ["desuscribirme", "desuscribir", "cancelar suscripción", "anular suscripción"]],
  [
    "es",
    "usage",
    "clear",
    ["no más mensajes", "no más promociones", "no quiero más mensajes", "no enviar más mensajes"],
  ],
  ["es", "usage", "clear", ["eliminar suscripción", "no molestar"]],
  ["es", "usage", "clear", ["quiero darme de baja", "deseo darme de baja", "dejar de recibir mensajes"]],
  ["es", "usage", "clear", ["no me escriban más", "no me escribas más", "no me contacten más", "dejen de escribirme"]],
  ["es", "usage", "clear", ["no me manden más mensajes", "bórrenme de la lista", "quítenme de la lista"]],
  ["es", "button", "clear", ["Detener promociones"]],

  ["pt", "carriers", "ambiguous", ["CANCELAR"]],
  ["pt", "usage", "clear", ["PARAR", "SAIR", "descadastrar", "cancelar inscrição", "cancelar assinatura"]],
  ["pt", "usage", "clear", ["parar mensagens", "chega de mensagens", "não quero receber mensagens", "não quero mais"]],
  ["pt", "usage", "clear", ["parar de enviar mensagens", "remover meu número", "quero sair"]],
  ["pt", "usage", "ambiguous", ["pare", "remover"]],
  ["pt", "usage", "clear", ["descadastrar-me", "não quero mais receber mensagens", "não enviar mais", "me remova"]],
  ["pt", "usage", "clear", ["me tira da lista"]],
  ["pt", "usage", "clear", ["não me mande mais mensagem", "não me mande mais mensagens", "me tirem da lista"]],
  ["pt", "button", "clear", ["Parar promoções"]],

  ["de", "usage", "clear", ["STOPP", "ABMELDEN", "abbestellen", "Abmeldung", "keine Werbung", "keine Werbung mehr"]],
  ["de", "usage", "clear", ["mich abmelden", "austragen", "abonnement beenden"]],
  ["de", "usage", "clear", ["Newsletter abbestellen", "keine Nachrichten mehr", "keine weiteren Nachrichten"]],
  ["de", "usage", "ambiguous", ["kündigen"]],
  ["de", "button, translated", "clear", ["Promotionen stoppen", "Werbung stoppen", "Werbeaktionen stoppen"]],

  ["fr", "carriers", "clear", ["STOP SMS", "STOP PUB"]],
  ["fr", "usage", "clear", ["ARRÊT", "désabonner", "se désabonner", "me désabonner", "désabonnement"]],
  ["fr", "usage", "clear", ["désinscrire", "se désinscrire", "me désinscrire", "désinscription"]],
  ["fr", "usage", "clear", ["je veux me désabonner", "plus de messages", "plus de pub", "arrêter les messages"]],
  ["fr", "usage", "clear", ["ne plus recevoir de messages"]],
  ["fr", "usage", "clear", ["je me désabonne"]],
  [
    "fr",
    "usage",
    "clear",
    ["désabonnez-moi", "ne m'écrivez plus", "ne me contactez plus", "retirez-moi de votre liste"],
  ],
  ["fr", "usage", "ambiguous", ["arrêtez", "arrêter", "résilier"]],
  ["fr", "button, translated", "clear", ["Arrêter les promotions", "Stop promotions"]],

  ["it", "usage", "clear", ["disiscrivimi", "disiscriviti", "annulla iscrizione", "cancella iscrizione"]],
  ["it", "usage", "clear", ["cancella la mia iscrizione", "disiscrizione", "rimuovimi", "niente pubblicità"]],
  ["it", "usage", "clear", ["non voglio più messaggi"]],
  ["it", "usage", "clear", ["cancellami", "basta messaggi"]],
  ["it", "usage", "ambiguous", ["disattiva"]],
  ["it", "button", "clear", ["Interrompi promozioni"]],

  ["nl", "usage", "clear", ["AFMELDEN", "uitschrijven", "stoppen", "geen reclame"]],
  ["nl", "usage", "clear", ["geen berichten meer", "schrijf me uit", "meld me af"]],
  ["nl", "button, translated", "clear", ["Stop promoties", "Promoties stoppen"]],

  ["id", "carriers", "clear", ["UNREG"]],
  ["id", "usage", "clear", ["BERHENTI", "berhenti berlangganan", "stop promosi"]],
  ["id", "usage", "clear", ["batal langganan", "berhenti kirim pesan", "jangan kirim lagi", "jangan kirim pesan lagi"]],
  ["id", "usage", "ambiguous", ["hentikan"]],
  ["id", "button, translated", "clear", ["Berhenti promosi", "Hentikan promosi"]],
  ["ms", "usage", "clear", ["BERHENTI", "berhenti melanggan", "batalkan langganan", "tak nak mesej lagi"]],
  ["ms", "button, translated", "clear", ["Hentikan promosi", "Henti promosi"]],
  ["tl", "usage", "clear", ["itigil", "itigil na", "ihinto", "itigil ang mensahe", "huwag na mag-text"]],

  ["tr", "carriers", "ambiguous", ["RET", "İPTAL", "DUR"]],
  ["tr", "usage", "clear", ["abonelikten çık", "aboneliği iptal et", "reklam istemiyorum"]],
  ["tr", "usage", "clear", ["üyelikten çık", "beni listeden çıkarın", "mesaj atmayın", "mesaj istemiyorum"]],
  ["tr", "usage", "ambiguous", ["durdur"]],
  ["tr", "button, translated", "clear", ["Promosyonları durdur", "Tanıtımları durdur"]],

  ["ru", "usage", "clear", ["СТОП", "ОТПИСКА", "отписаться", "отпишите меня"]],
  ["ru", "usage", "clear", ["отмена подписки", "отключить рассылку", "прекратите рассылку", "не пишите мне"]],
  ["ru", "usage", "clear", ["не пишите мне больше", "хватит присылать", "удалите мой номер"]],
  ["ru", "usage", "clear", ["отменить подписку", "не присылайте", "больше не присылайте", "удалите меня"]],
  ["ru", "usage", "ambiguous", ["хватит"]],
  ["ru", "button, translated", "clear", ["Остановить рекламу", "Остановить рассылку", "Отключить рекламу"]],
  ["uk", "usage", "clear", ["СТОП", "відписка", "відписатися", "відпишіть мене", "скасувати підписку"]],
  ["uk", "usage", "clear", ["відмовитися від розсилки", "не надсилайте"]],
  ["uk", "usage", "ambiguous", ["припинити"]],
  ["pl", "usage", "clear", ["wypisz", "wypisz mnie", "rezygnuję z subskrypcji"]],
  ["pl", "usage", "clear", ["wypisz się", "anuluj subskrypcję", "koniec reklam", "nie chcę wiadomości"]],
  ["pl", "usage", "ambiguous", ["rezygnuję"]],
  ["ro", "usage", "clear", ["dezabonare", "dezaboneaza-ma", "dezabonați-mă", "nu mai vreau mesaje"]],
  ["ro", "usage", "ambiguous", ["oprește", "renunț"]],

  ["ar", "usage", "clear", ["توقف", "إيقاف", "ايقاف", "أوقف", "اوقف", "إلغاء الاشتراك", "الغاء الاشتراك", "ستوب"]],
  ["ar", "usage", "clear", ["أوقف الرسائل", "إيقاف الرسائل", "إلغاء اشتراكي", "لا ترسل", "لا أريد رسائل"]],
  ["ar", "usage", "ambiguous", ["الغاء", "إلغاء", "وقف", "قف", "كفى"]],
  ["ar", "button, translated", "clear", ["إيقاف العروض الترويجية", "إيقاف العروض", "إيقاف الترويج"]],
  ["fa", "usage", "clear", ["توقف", "لغو اشتراک", "لغو عضویت", "پیام ندهید"]],
  ["fa", "usage", "ambiguous", ["لغو"]],
  ["he", "carriers", "clear", ["הסר", "הסרה", "להסרה"]],
  ["he", "usage", "clear", ["הסר אותי", "הסירו אותי", "תפסיקו"]],
  ["he", "usage", "ambiguous", ["עצור"]],

  ["hi", "usage", "clear", ["रोकें", "रोको", "स्टॉप", "सदस्यता रद्द करें", "सदस्यता समाप्त करें"]],
  ["hi", "usage", "clear", ["संदेश बंद करें", "मैसेज मत भेजो", "मैसेज मत करो", "message mat bhejo", "message band karo"]],
  ["hi", "usage", "clear", ["stop karo", "मैसेज बंद करो"]],
  ["hi", "usage", "ambiguous", ["बंद", "बंद करो", "बंद करें", "band karo", "mat bhejo"]],
  ["hi", "button, translated", "clear", ["प्रमोशन रोकें", "प्रचार रोकें", "प्रमोशन बंद करें"]],
  ["mr", "usage", "clear", ["थांबवा", "स्टॉप", "मेसेज पाठवू नका"]],
  ["mr", "usage", "ambiguous", ["थांबा", "बंद करा"]],
  ["bn", "usage", "clear", ["স্টপ", "আনসাবস্ক্রাইব"]],
  ["bn", "usage", "clear", ["মেসেজ বন্ধ করুন", "মেসেজ দিবেন না"]],
  ["bn", "usage", "ambiguous", ["বন্ধ", "বন্ধ করুন", "বন্ধ করো"]],
  ["ta", "usage", "clear", ["நிறுத்து", "நிறுத்தவும்", "நிறுத்துங்கள்", "வேண்டாம் நிறுத்து", "ஸ்டாப்"]],
  ["te", "usage", "clear", ["ఆపండి", "స్టాప్", "మెసేజ్ లు ఆపండి"]],
  ["te", "usage", "ambiguous", ["ఆపు", "ఆపేయండి"]],
  ["gu", "usage", "clear", ["રોકો", "સ્ટોપ", "મેસેજ બંધ કરો"]],
  ["gu", "usage", "ambiguous", ["બંધ કરો"]],
  ["kn", "usage", "clear", ["ನಿಲ್ಲಿಸಿ", "ಸ್ಟಾಪ್", "ಸಂದೇಶ ನಿಲ್ಲಿಸಿ"]],
  ["ml", "usage", "clear", ["നിർത്തുക", "നിർത്തൂ", "നിർത്തു", "സ്റ്റോപ്പ്"]],
  ["pa", "usage", "clear", ["ਰੋਕੋ", "ਸਟਾਪ"]],
  ["pa", "usage", "ambiguous", ["ਬੰਦ ਕਰੋ"]],
  ["ur", "usage", "clear", ["روکیں", "سٹاپ", "اسٹاپ", "میسج بند کرو"]],
  ["ur", "usage", "ambiguous", ["بند کریں", "بند کرو"]],

  ["zh", "carriers", "ambiguous", ["TD"]],
  ["zh", "usage", "clear", ["停止", "退订", "退訂", "取消订阅", "取消訂閱", "不要再发了", "别发了", "拒收"]],
  ["zh", "usage", "clear", ["取消關注", "回T退订"]],
  ["zh", "button, translated", "clear", ["停止推广", "停止促销", "停止推廣"]],
  ["ja", "usage", "clear", ["停止", "配信停止", "ストップ", "登録解除", "退会", "配信解除", "もう送らないでください"]],
  ["ja", "usage", "ambiguous", ["解除"]],
  ["ko", "carriers", "clear", ["수신거부", "수신 거부"]],
  ["ko", "usage", "clear", ["구독취소", "구독 취소", "스톱", "그만 보내세요"]],
  ["ko", "usage", "ambiguous", ["해지", "중지", "그만"]],
  ["th", "usage", "clear", ["ยกเลิกการสมัคร", "หยุดส่งข้อความ", "เลิกรับข่าวสาร"]],
  ["th", "usage", "ambiguous", ["ยกเลิก", "หยุด"]],
  ["vi", "carriers", "ambiguous", ["TC", "HUY"]],
  ["vi", "usage", "clear", ["hủy đăng ký", "huy dang ky", "ngừng nhận tin", "từ chối nhận tin"]],
  ["vi", "usage", "clear", ["không nhận tin"]],
  ["vi", "usage", "ambiguous", ["dừng lại"]],

  ["sw", "usage", "clear", ["acha kutuma", "acha kunitumia ujumbe", "jiondoe"]],
  ["sw", "usage", "ambiguous", ["simamisha", "ondoa"]],
  ["el", "usage", "clear", ["ΣΤΟΠ", "διαγραφή"]],
  ["el", "usage", "ambiguous", ["διακοπή"]],
  ["hu", "usage", "clear", ["leiratkozás", "leiratkozom"]],
  ["cs", "usage", "clear", ["odhlásit", "odhlásit se"]],
  ["sv", "usage", "clear", ["avregistrera", "stoppa"]],
  ["sv", "usage", "ambiguous", ["avsluta"]],
  ["sr", "usage", "clear", ["odjava", "одјава"]],
];

export const OPT_OUT_WORDS: readonly OptOutWord[] = rows.flatMap(([language, source, meaning, words]) =>
  words.map((word) => ({ language, word, source, isAmbiguous: meaning === "ambiguous" })),
);

/**
 * The words that lift an opt-out: Twilio's keywords, without YES, which also answers any other question, and their
 * translations. Language, then words.
 */
const optInRows: readonly [language: string, words: readonly string[]][] = [
  ["en", ["START", "UNSTOP", "SUBSCRIBE"]],
  ["es", ["SUSCRIBIR", "suscribirme", "reanudar"]],
  ["pt", ["inscrever", "assinar", "retomar"]],
  ["de", ["abonnieren", "wieder anmelden"]],
  ["fr", ["s'abonner", "m'abonner", "abonner"]],
  ["it", ["iscriviti", "iscrivimi"]],
  ["nl", ["aanmelden", "inschrijven"]],
  ["id", ["berlangganan"]],
  ["ms", ["langgan"]],
  ["tr", ["abone ol"]],
  ["ru", ["СТАРТ", "подписаться"]],
  ["uk", ["підписатися"]],
  ["pl", ["subskrybuj", "zapisz mnie"]],
  ["ar", ["اشتراك", "اشترك"]],
  ["hi", ["सदस्यता लें", "स्टार्ट"]],
  ["zh", ["订阅", "訂閱"]],
  ["ja", ["配信再開", "登録"]],
  ["ko", ["구독"]],
  ["vi", ["đăng ký"]],
];

export const OPT_IN_WORDS: readonly string[] = optInRows.flatMap(([, words]) => words);
