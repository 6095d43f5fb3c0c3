/**
 * What tells the encodings of a text apart, as data: the letters of languages beside a to z, and characters that are
 * common in names and places of East Asia. An encoding is right if the words that it gives belong to a language.
 */

interface LatinLanguage {
  name: string;
  /** Letters beside a to z, lower case. */
  letters: string;
  /** How many files of shops are in the language, on a rough logarithmic scale; 5 is the largest. */
  weight: number;
  /** What no word of the language has, in lower case. */
  not?: RegExp;
}

export const LATIN_LANGUAGES: readonly LatinLanguage[] = [
  { name: "Spanish", letters: "áéíóúüñ", weight: 5 },
  { name: "Portuguese", letters: "áâãàçéêíóôõúü", weight: 5, not: /õ(?!e)|ã(?![oes]|$)|ç(?![aouáãâóôõú])|^ç/ },
  { name: "French", letters: "àâæçéèêëîïôœùûü", weight: 5, not: /ç(?![aouâàôûe])|^œ$/ },
  { name: "German", letters: "äöüßé", weight: 5 },
  { name: "Italian", letters: "àèéìîòóù", weight: 5 },
  { name: "Turkish", letters: "çğıöşüâîûi̇", weight: 4, not: /^ğ/ },
  { name: "Polish", letters: "ąćęłńóśźż", weight: 4 },
  { name: "Vietnamese", letters: "ăâđêôơưàảãáạằẳẵắặầẩẫấậèẻẽéẹềểễếệìỉĩíịòỏõóọồổỗốộờởỡớợùủũúụừửữứựỳỷỹýỵ", weight: 3 },
  { name: "Swedish", letters: "åäöé", weight: 4 },
  { name: "Norwegian", letters: "åæøéòô", weight: 3 },
  { name: "Czech", letters: "áčďéěíňóřšťúůýž", weight: 3 },
  { name: "Hungarian", letters: "áéíóöőúüű", weight: 3 },
  { name: "Romanian", letters: "ăâîșțşţ", weight: 3 },
  { name: "Slovak", letters: "áäčďéíĺľňóôŕšťúýž", weight: 3 },
  { name: "Croatian", letters: "čćđšž", weight: 3 },
  { name: "Catalan", letters: "àéèíïóòúüç", weight: 3, not: /ç(?![aouàóòú]|$)/ },
  { name: "Lithuanian", letters: "ąčęėįšųūž", weight: 2 },
  { name: "Latvian", letters: "āčēģīķļņšūž", weight: 2 },
  { name: "Estonian", letters: "äõöüšž", weight: 2 },
  { name: "Albanian", letters: "çë", weight: 2 },
  { name: "Icelandic", letters: "áðéíóúýþæö", weight: 1 },
];

/** Relative frequency of letters in ordinary text, most frequent first; the rest is rare. */
export const CYRILLIC_ORDER = "оаеинтрслвкмдупыяьгзбчйхжюшцщіїєэґфъё";
export const GREEK_ORDER = "αοιετσνρκπυςμλίάόέγηδύωχθφήβώξζψϊϋ";
export const HEBREW_ORDER = "יולהאמרבתשנדםחכעקפגןסטזצףךץ";
export const ARABIC_ORDER = "المينورتبدعسحفةكقهجشصطخىأضذزغثءإئظؤآ";
export const THAI_ORDER = "านรอกเงมยลวดทสตะปบคหแจพชขใไโซผฟถธณญศษภฉ่้ีิัาุู็์";

/** Common in names of people and places. */
export const CHINESE =
  "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤" +
  "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华建文国志海小玉红春梅兰云生东晓丹雪婷宇浩然子欣佳怡俊一鹏飞波斌辉玲燕萍美琴珍荣爱凤洁宁安新永德兴福昌成光天学中山大北京上海州深圳南西广东省市区县路号街镇村店公司客户姓名电话手机地址生日备注会员";
export const JAPANESE =
  "田山太郎中本村川木小林佐藤鈴高橋渡辺伊加吉松井上野口石原島前後池橋清水森内岡長谷近坂斎遠青西福三浦原岸今菊千葉大和久保坂平杉新丸岩竹崎宮桜安東京都道府県市区町丁目番号北海横浜名古屋神奈戸阪" +
  "子美一二三恵真由香優花愛健裕介大翔太陽奈結衣智明子正雄和男隆幸弘誠光夫文彦直樹博之達也様氏名電話携帯住所誕生日会員備考株式会社";
/** Kana are counted as common Japanese. */
export const KOREAN =
  "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구나민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국은편용" +
  "수영호준서연민지현우예은도윤하준시우주원지호건우서준유진지훈성민미경숙희순자정혜선아름름별빛동식철상재태규환석훈혁찬승빈경기서울부산대구광주인천울산세종시군구동로길이름전화번호휴대폰주소생일고객회원";
