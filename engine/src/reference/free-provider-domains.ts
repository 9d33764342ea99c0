/**
 * Domains where the public can open a mailbox: webmail, national portals and access providers, grouped by operator.
 *
 * A domain is listed if people have personal mailboxes there. Disposable services, privacy relays and company domains
 * are not.
 */

/** Brands with national variants, as name and suffixes. */
const NATIONAL_BRANDS: Readonly<Record<string, string>> = {
  hotmail: `com be ca ch cl co.id co.il co.in co.jp co.kr co.nz co.th co.uk co.za com.ar com.au com.br com.hk
    com.tr com.tw com.vn cz de dk es fi fr gr hu it lt lv my nl no ph rs se sg sk`,
  live: `com at be ca ch cl cn co.in co.kr co.uk co.za com.ar com.au com.co com.mx com.my com.pe com.ph com.pk com.pt
    com.sg de dk fi fr hk ie in it jp nl no ph pt ru se`,
  outlook: `com at be cl co.id co.il co.nz co.th com.ar com.au com.br com.gr com.pe com.tr com.vn cz de dk es fr hu ie
    in it jp kr lv my ph pt sa sg sk`,
  yahoo: `com at be bg ca cl cn co.id co.il co.in co.jp co.kr co.nz co.th co.uk co.za com.ar com.au com.br com.cn
    com.co com.hk com.hr com.mx com.my com.pe com.ph com.sg com.tr com.tw com.ua com.ve com.vn cz de dk ee es fi
    fr gr hu ie in it lt lv ne.jp nl no pl pt ro rs se si sk`,
  gmx: `at biz bz ca ch cn co.in co.uk com com.br com.my com.tr cz de es eu fr hk ie info it jp li lt net nl org ph
    pl pt ro ru se sg si tm tw us`,
  aol: "com at be ch cl co.uk com.ar com.au com.br com.co com.mx com.tr com.ve cz de dk es fi fr hk hu in it jp kr nl no pl ru se tw",
  yandex: "ru com by com.tr kz ua fr uz lt lv ee md tj tm az com.am com.ge co.il kg net",
  zoho: "com eu in com.au com.cn jp",
};

/** All others, by provider or country. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: "gmail.com googlemail.com",
  microsoft: "msn.com windowslive.com webtv.net msn.cn",
  yahoo: "ymail.com rocketmail.com y7mail.com",
  aol: "aim.com netscape.net netscape.com love.com ygm.com games.com wow.com compuserve.com cs.com",
  apple: "icloud.com me.com mac.com",
  proton: "proton.me protonmail.com protonmail.ch pm.me",
  tuta: "tuta.com tutanota.com tutanota.de tutamail.com tuta.io keemail.me",
  fastmail: `
    fastmail.com fastmail.fm fastmail.cn fastmail.co.uk fastmail.com.au fastmail.de fastmail.es fastmail.in
    fastmail.jp fastmail.mx fastmail.net fastmail.nl fastmail.org fastmail.se fastmail.to fastmail.tw
    fastmail.uk fastmail.us fastemail.us fastimap.com fastest.cc fast-email.com fast-mail.org
    fastmailbox.net fmail.co.uk fmailbox.com fmgirl.com fmguy.com f-m.fm mailbolt.com mailcan.com
    mailhaven.com mailmight.com mailsent.net mailservice.ms messagebox.email 123mail.org 150mail.com
    4email.net 50mail.com airpost.net allmail.net bestmail.us cluemail.com elitemail.org emailcorner.net
    emailengine.net emailgroups.net emailplus.org emailuser.net eml.cc hailmail.net imap-mail.com imap.cc
    imapmail.org inoutbox.com internet-e-mail.com internet-mail.org internetemails.net internetmailing.net
    jetemail.net justemail.net letterboxes.org mail-central.com mail-page.com mailandftp.com mailas.com
    mailc.net mailforce.net mailftp.com mailingaddress.org mailite.com mailnew.com mailup.net mailworks.org
    ml1.net mm.st myfastmail.com mymacmail.com nospammail.net ownmail.net petml.com postinbox.com
    postpro.net proinbox.com promessage.com realemail.net reallyfast.biz rushpost.com sent.as sent.at
    sent.com speedpost.net speedymail.org ssl-mail.com swift-mail.com the-fastest.net the-quickest.com
    theinternetemail.com veryfast.biz veryspeedy.net warpmail.net xsmail.com yepmail.net your-mail.com`,
  zoho: "zohomail.com zohomail.eu zohomail.in zohomail.com.au zohomail.jp",
  mailCom: `
    mail.com email.com usa.com post.com myself.com consultant.com europe.com asia.com iname.com writeme.com
    dr.com engineer.com cheerful.com accountant.com techie.com linuxmail.org lawyer.com programmer.net
    musician.org doctor.com artlover.com bikerider.com birdlover.com catlover.com chef.net chemist.com
    clerk.com collector.org columnist.com contractor.net coolsite.net counsellor.com cutey.com cyberdude.com
    cybergal.com cyber-wizard.com deliveryman.com diplomats.com disciples.com doglover.com elvisfan.com
    execs.com financier.com fireman.net gardener.com geologist.com graduate.org graphic-designer.com
    hairdresser.net hot-shot.com instructor.net journalist.com kittymail.com legislator.com lobbyist.com
    madonnafan.com mail-me.com mailpuppy.com minister.com nycmail.com optician.com orthodontist.net
    pediatrician.com petlover.com photographer.net physicist.net planetmail.com planetmail.net
    politician.com priest.com protestant.com publicist.com qualityservice.com radiologist.net ravemail.com
    realtyagent.com registerednurses.com reincarnate.com religious.com repairman.com representative.com
    rockfan.com safrica.com salesperson.net sanfranmail.com scientist.com secretary.net socialworker.net
    sociologist.com songwriter.net surgical.net swedenmail.com swissmail.com therapist.net toothfairy.com
    torontomail.com uymail.com africamail.com allergist.com angelic.com appraiser.net archaeologist.com
    arcticmail.com asia-mail.com atheist.com australiamail.com bartender.net brazilmail.com brew-master.com
    bsdmail.com californiamail.com chinamail.com dallasmail.com dutchmail.com englandmail.com europemail.com
    germanymail.com inorbit.com irelandmail.com israelmail.com italymail.com koreamail.com mexicomail.com
    moscowmail.com pacific-ocean.com pacificwest.com polandmail.com samerica.com scotlandmail.com
    spainmail.com usa.net icqmail.com clubmember.org`,
  independent: `
    hushmail.com hush.com hushmail.me hush.ai mailfence.com runbox.com posteo.de posteo.net posteo.at
    posteo.ch posteo.eu posteo.org posteo.me mailbox.org countermail.com startmail.com disroot.org
    riseup.net autistici.org ctemplar.com kolabnow.com soverin.net mailo.com net-c.com netcourrier.com
    netc.fr netc.eu netc.it lavabit.com openmailbox.org vivaldi.net hey.com onmail.com inbox.com inbox.eu
    lycos.com lycos.co.uk lycos.de lycos.es lycos.it excite.com excite.it excite.co.jp excite.co.uk
    altavista.com bigfoot.com care2.com catholic.org doramail.com myway.com mail2world.com operamail.com
    pobox.com sdf.org dismail.de systemli.org safe-mail.net techemail.com indiatimes.com`,

  unitedStates: `
    comcast.net verizon.net att.net sbcglobal.net bellsouth.net pacbell.net ameritech.net prodigy.net
    swbell.net snet.net flash.net nvbell.net cox.net charter.net earthlink.net mindspring.com juno.com
    netzero.net netzero.com optonline.net optimum.net suddenlink.net roadrunner.com rr.com twc.com
    windstream.net frontier.com frontiernet.net embarqmail.com centurylink.net centurytel.net q.com
    qwest.net tds.net wowway.com rcn.com peoplepc.com ptd.net epix.net gci.net hawaiiantel.net cableone.net
    mchsi.com knology.net insightbb.com adelphia.net bresnan.net fuse.net zoominternet.net sonic.net
    speakeasy.net gte.net erols.com netins.net netcom.com hughes.net wildblue.net citlink.net metrocast.net
    atlanticbb.net midco.net grandecom.net surewest.net ntelos.net usa.com`,
  canada: `
    sympatico.ca bell.net rogers.com shaw.ca telus.net videotron.ca cogeco.ca eastlink.ca mts.net mymts.net
    sasktel.net accesswave.ca teksavvy.com primus.ca xplornet.com globetrotter.net`,
  unitedKingdom: `
    btinternet.com btopenworld.com talk21.com sky.com virginmedia.com virgin.net ntlworld.com
    blueyonder.co.uk talktalk.net tiscali.co.uk lineone.net plus.net plus.com force9.co.uk f9.co.uk
    orange.net fsmail.net freeserve.co.uk wanadoo.co.uk freeuk.com freeuk.net ukonline.co.uk supanet.com
    onetel.com onetel.net pipex.com madasafish.com zen.co.uk demon.co.uk waitrose.com tesco.net
    toucansurf.com homecall.co.uk uwclub.net cwgsy.net manx.net`,
  ireland: "eircom.net iol.ie indigo.ie oceanfree.net vodafone.ie mail.ie utvinternet.com",
  australiaAndNewZealand: `
    bigpond.com bigpond.net.au bigpond.com.au optusnet.com.au tpg.com.au iinet.net.au westnet.com.au
    internode.on.net adam.com.au ozemail.com.au dodo.com.au iprimus.com.au primusonline.com.au aapt.net.au
    netspace.net.au exemail.com.au aussiebroadband.com.au xtra.co.nz slingshot.co.nz orcon.net.nz clear.net.nz
    paradise.net.nz ihug.co.nz vodafone.co.nz inspire.net.nz snap.net.nz actrix.co.nz`,

  germany: `
    web.de t-online.de freenet.de arcor.de vodafone.de vodafonemail.de online.de onlinehome.de kabelmail.de
    unitybox.de netcologne.de ewetel.net ewe.net osnanet.de alice-dsl.de alice-dsl.net versanet.de
    kabelbw.de email.de mail.de firemail.de epost.de magenta.de o2online.de ok.de lycos.de directbox.com
    freenetmail.de compuserve.de mnet-online.de mnet-mail.de caramail.com snafu.de emailn.de`,
  austriaAndSwitzerland: `
    aon.at a1.net chello.at utanet.at kabsi.at liwest.at tele2.at bluewin.ch hispeed.ch sunrise.ch
    swissonline.ch bluemail.ch romandie.com quickline.ch gmx.li mail.ch ik.me ikmail.com`,
  france: `
    orange.fr wanadoo.fr laposte.net free.fr sfr.fr neuf.fr 9online.fr bbox.fr numericable.fr
    club-internet.fr cegetel.net aliceadsl.fr noos.fr dartybox.com voila.fr estvideo.fr evhr.net
    libertysurf.fr tele2.fr tiscali.fr nordnet.fr worldonline.fr freesurf.fr ifrance.com lycos.fr
    caramail.fr zaclys.net mailoo.org lagoon.nc canl.nc mls.nc only.fr`,
  benelux: `
    ziggo.nl home.nl planet.nl kpnmail.nl hetnet.nl xs4all.nl casema.nl chello.nl quicknet.nl upcmail.nl
    tele2.nl telfort.nl telfortglasvezel.nl zonnet.nl wxs.nl tiscali.nl caiway.nl caiway.net zeelandnet.nl
    solcon.nl online.nl freeler.nl wanadoo.nl versatel.nl kabelfoon.nl hccnet.nl dds.nl 12move.nl telenet.be
    skynet.be proximus.be scarlet.be belgacom.net pandora.be voo.be brutele.be swing.be tvcablenet.be
    edpnet.be mobistar.be pt.lu`,
  italy: `
    libero.it virgilio.it tiscali.it alice.it tim.it tin.it aruba.it inwind.it iol.it blu.it fastwebnet.it
    email.it poste.it vodafone.it supereva.it katamail.com interfree.it teletu.it jumpy.it ciaoweb.it
    kataweb.it mclink.it eolo.it`,
  spainAndPortugal: `
    telefonica.net terra.es ono.com ya.com wanadoo.es euskaltel.net mundo-r.com telecable.es eresmas.com
    eresmas.net terra.com arrakis.es mixmail.com latinmail.com tiscali.es menta.net lycos.es ozu.es
    andorra.ad sapo.pt clix.pt netcabo.pt iol.pt oninet.pt telepac.pt portugalmail.pt portugalmail.com
    aeiou.pt vodafone.pt meo.pt`,

  nordics: `
    telia.com bredband.net bredband2.com comhem.se tele2.se spray.se home.se passagen.se swipnet.se
    bahnhof.se glocalnet.net bostream.nu ownit.nu algonet.se mail.dk jubii.dk ofir.dk tdcadsl.dk tdc.dk
    stofanet.dk webspeed.dk get2net.dk privat.dk yousee.dk fibermail.dk online.no broadpark.no getmail.no
    frisurf.no c2i.net chello.no lyse.net start.no altibox.no tele2.no enivest.net kolumbus.fi elisanet.fi
    luukku.com suomi24.fi saunalahti.fi inet.fi netti.fi phnet.fi welho.com dnainternet.net surffi.fi
    kotinet.com jippii.fi mbnet.fi wippies.com simnet.is internet.is`,
  baltics: "inbox.lv apollo.lv mail.lv e-apollo.lv inbox.lt takas.lt mail.lt hot.ee mail.ee starman.ee",

  poland: `
    wp.pl o2.pl onet.pl onet.eu op.pl interia.pl interia.eu poczta.fm tlen.pl go2.pl gazeta.pl autograf.pl
    buziaczek.pl amorki.pl vp.pl spoko.pl poczta.pl neostrada.pl intmail.pl republika.pl chello.pl vectra.pl
    toya.net.pl inetia.pl prokonto.pl`,
  czechiaAndSlovakia: `
    seznam.cz email.cz post.cz centrum.cz atlas.cz volny.cz quick.cz upcmail.cz azet.sk zoznam.sk centrum.sk
    post.sk pobox.sk szm.sk inmail.sk atlas.sk stonline.sk orangemail.sk`,
  hungary: `
    freemail.hu citromail.hu t-online.hu vipmail.hu indamail.hu mailbox.hu chello.hu upcmail.hu digikabel.hu
    invitel.hu axelero.hu enternet.hu fibermail.hu`,
  balkans: `
    abv.bg mail.bg dir.bg gbg.bg net.hr htnet.hr iskon.hr siol.net t-2.net email.si amis.net telemach.net
    eunet.rs sbb.rs ptt.rs yubc.net neobee.net verat.net beotel.net nadlanu.com bih.net.ba tel.net.ba
    teol.net t-home.mk home.ro rdslink.ro clicknet.ro email.ro mail.md`,
  greeceAndCyprus: "otenet.gr hol.gr forthnet.gr freemail.gr in.gr pathfinder.gr tellas.gr cytanet.com.cy",

  russia: `
    mail.ru inbox.ru list.ru bk.ru internet.ru xmail.ru vk.com ya.ru narod.ru rambler.ru lenta.ru
    autorambler.ru myrambler.ru ro.ru pochta.ru hotbox.ru fromru.com front.ru mail15.com land.ru nm.ru
    nextmail.ru pisem.net pop3.ru qip.ru smtp.ru e-mail.ru email.ru newmail.ru chat.ru km.ru tut.by mail.kz
    ngs.ru inbox.uz umail.uz online.ua sibnet.ru bigmir.net mail.az box.az freenet.am mail.am`,
  ukraine: "ukr.net i.ua ua.fm email.ua meta.ua bigmir.net online.ua mail.ua ukrpost.net",

  turkey: "mynet.com superonline.com ttnet.net.tr e-kolay.net",
  israelAndArabCountries: `
    walla.co.il walla.com netvision.net.il bezeqint.net 012.net.il zahav.net.il 013net.net inter.net.il
    maktoob.com emirates.net.ae eim.ae batelco.com.bh qatar.net.qa omantel.net.om link.net tedata.net.eg
    terra.net.lb cyberia.net.lb idm.net.lb sodetel.net.lb nets.com.jo menara.ma planet.tn gnet.tn`,
  iran: "chmail.ir mihanmail.ir mailfa.com",
  southAsia: `
    rediffmail.com rediff.com sify.com indiatimes.com vsnl.com vsnl.net bsnl.in bsnl.co.in dataone.in
    sancharnet.in mtnl.net.in sltnet.lk cyber.net.pk brain.net.pk bttb.net.bd wlink.com.np ntc.net.np
    dhivehinet.net.mv`,
  southEastAsia: `
    singnet.com.sg pacific.net.sg starhub.net.sg magix.com.sg streamyx.com tm.net.my jaring.my unifi.my
    telkom.net cbn.net.id indo.net.id centrin.net.id plasa.com indosat.net.id loxinfo.co.th thaimail.com
    pldtdsl.net pacific.net.ph pinoymail.com vnn.vn brunet.bn`,

  china: `
    qq.com vip.qq.com foxmail.com 163.com vip.163.com 126.com vip.126.com yeah.net 188.com sina.com sina.cn
    vip.sina.com vip.sina.cn sohu.com vip.sohu.com chinaren.com aliyun.com 139.com 189.cn wo.cn 21cn.com
    tom.com 163.net 263.net eyou.com china.com msn.cn`,
  hongKongTaiwanMacau: `
    netvigator.com hkbn.net i-cable.com hinet.net seed.net.tw pchome.com.tw giga.net.tw`,
  korea: `
    naver.com hanmail.net daum.net kakao.com nate.com empal.com empas.com korea.com dreamwiz.com chol.com
    hanmir.com lycos.co.kr paran.com freechal.com hitel.net netian.com hanafos.com unitel.co.kr`,
  japan: `
    docomo.ne.jp ezweb.ne.jp au.com softbank.ne.jp i.softbank.jp softbank.jp ymobile.ne.jp ymobile1.ne.jp
    ybb.ne.jp disney.ne.jp vodafone.ne.jp willcom.com pdx.ne.jp emobile.ne.jp uqmobile.jp biglobe.ne.jp
    mail.goo.ne.jp goo.jp nifty.com nifty.ne.jp ocn.ne.jp so-net.ne.jp plala.or.jp dion.ne.jp odn.ne.jp
    infoseek.jp excite.co.jp livedoor.com hi-ho.ne.jp asahi-net.or.jp eonet.ne.jp zaq.ne.jp jcom.home.ne.jp
    kcn.ne.jp tokai.or.jp t-com.ne.jp wakwak.com auone-net.jp commufa.jp mopera.net dti.ne.jp megaegg.ne.jp
    bbiq.jp mineo.jp`,

  brazil: `
    uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com oi.com.br r7.com superig.com.br
    ibest.com.br zipmail.com.br brturbo.com.br itelefonica.com.br pop.com.br click21.com.br veloxmail.com.br
    uai.com.br sercomtel.com.br`,
  latinAmerica: `
    prodigy.net.mx terra.com.mx latinmail.com cablevision.net.mx fibertel.com.ar speedy.com.ar arnet.com.ar
    telecentro.com.ar vtr.net terra.cl entelchile.net une.net.co etb.net.co cantv.net speedy.com.pe
    adinet.com.uy andinanet.net racsa.co.cr ice.co.cr cwpanama.net entelnet.bo nauta.cu coqui.net
    tstt.net.tt cwjamaica.com`,
  africa: `
    mweb.co.za telkomsa.net webmail.co.za vodamail.co.za iafrica.com lantic.net axxess.co.za iway.na
    wananchi.com africaonline.co.ke utlonline.co.ug orange.sn sentoo.sn zamnet.zm zol.co.zw yoafrica.com
    intnet.mu`,
};

/** Every domain once, lower case. */
export const MAILBOX_PROVIDER_NAMES: readonly string[] = [
  ...new Set([
    ...Object.keys(NATIONAL_BRANDS).flatMap(namesOfBrand),
    ...Object.keys(PROVIDERS).flatMap(namesOfProvider),
  ]),
];

/** The national variants of one brand: yahoo.com, yahoo.fr … */
export function namesOfBrand(brand: string): string[] {
  return wordsOf(NATIONAL_BRANDS[brand]).map((ending) => `${brand}.${ending}`);
}

/** The domains listed under one provider or country. */
export function namesOfProvider(provider: string): string[] {
  return wordsOf(PROVIDERS[provider]);
}

function wordsOf(text = ""): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
