/**
 * Role names by tier; departments by language as well. Lower case and without separators, as role-addresses.ts looks them up.
 * A word shared by several languages is listed under the first of them.
 */

export const PROTOCOL_WORDS = `
  postmaster hostmaster webmaster abuse noc security root mailerdaemon usenet news uucp ftp www admin
  administrator sysadmin sysop listmaster dnsadmin domainadmin netadmin mailadmin serveradmin
  systemadmin siteadmin ssladmin ssladministrator sslwebmaster certmaster dnsmaster domainmaster daemon
  nobody mailmaster ipadmin ispfeedback ispsupport phish phishing spam fbl dmarc dmarcreports dmarcrua
  dmarcruf tlsrpt mtasts csirt cert psirt soc peering registrar tech technicalcontact whois domains
  domain dns`;

export const NO_REPLY_WORDS = `
  noreply noreplies noresponse donotreply dontreply neverreply noanswer nospam noemail nomail devnull
  null bounce bounces returnpath automailer autoresponder autoreply automatic automated robot bot
  notification notifications notify notifier alert alerts reminder reminders nepasrepondre pasdereponse
  sansreponse nichtantworten keineantwort antwortnicht bittenichtantworten norespond noresponder
  norespondas nocontestar noresponda nonrispondere nonrispondi naoresponda naoresponder nietantwoorden
  nietbeantwoorden geenantwoord nieodpowiadaj neodpovidat neodpovidejte neodpovedat svarainte svarej
  ikkesvar ikkesvare svarikke eivastata alavastaa cevaplamayin cevapvermeyin yanitlamayin yanitlama
  neotvechat neotvechayte неотвечать неотвечайте невідповідати jidousoushin jidohensin`;

export const LIST_WORDS = `
  list lists mailinglist mailinglists newsletter newsletters announce announcement announcements
  majordomo listserv listserver listproc mailman sympa ezmlm discuss discussion digest distribution
  distributionlist distlist bulletin nieuwsbrief nyhetsbrev nyhedsbrev uutiskirje rundbrief infobrief
  lettre infolettre lettredinformation boletin boletim bollettino notiziario biuletyn zpravodaj bulten
  bülten rassylka рассылка розсилка merumaga メルマガ`;

export const DEPARTMENT_WORDS: Readonly<Record<string, string>> = {
  english: `
    info infos information informations contact contacts contactus enquiry enquiries inquiry inquiries ask
    hello hallo hola ciao bonjour welcome hey mail email emails inbox mailbox post office offices
    frontoffice backoffice frontdesk reception desk sales sale salesteam presales orders order ordering
    shop store purchase purchases purchasing procurement buying quotes quote rfq quotation quotations
    tenders tender bids wholesale retail export exports import imports reseller resellers dealer dealers
    marketing advertising advertise ads advert adverts promo promotion promotions campaigns sponsorship
    sponsors events event partner partners partnership partnerships affiliate affiliates affiliation
    bizdev businessdevelopment business pr press pressoffice media mediarelations publicrelations
    publicaffairs publicity editor editorial editors newsroom newsdesk communications communication comms
    social socialmedia community publishing support supportteam techsupport technicalsupport help helpdesk
    helpme servicedesk service services customerservice customerservices customercare customersupport
    customersuccess customerrelations customer customers client clients clientservices care feedback
    suggestions complaints complaint returns return refunds refund warranty repairs repair rma claims
    claim billing invoice invoices invoicing accounts account accounting accountspayable
    accountsreceivable accountant payable receivable payables receivables payment payments payroll finance
    finances financial treasury treasurer bookkeeping bookkeeper credit creditcontrol collections
    collection tax audit auditors budget hr humanresources humanresource people peopleops personnel
    recruiting recruitment recruiter recruiters careers career jobs hiring talent talentacquisition resume
    resumes vacancies vacancy internship internships training learning benefits it itsupport ithelp
    ithelpdesk itdepartment itservices itadmin infrastructure network networks systems system ops
    operations devops engineering development developer developers qa test testing research labs lab
    design designs innovation product products project projects production manufacturing quality
    qualityassurance data analytics web website webteam webadmin webdesign online internet digital api
    cloud hosting server legal legalteam compliance lawyers counsel privacy privacyteam privacyofficer
    privacypolicy dpo dataprotection dataprotectionofficer gdpr ccpa dsar dmca copyright trademark
    trademarks ethics whistleblower whistleblowing safety trustandsafety logistics shipping delivery
    deliveries dispatch warehouse fleet transport fulfilment fulfillment inventory supply supplychain
    suppliers supplier vendors vendor maintenance facilities facility property properties estates lettings
    rentals rental housekeeping reservations reservation booking bookings bookingoffice boxoffice tickets
    ticket tourism travel tours concierge guestservices guestrelations hotel restaurant catering kitchen
    spa groups venue registration registrations register registry registrars admissions admission
    enrolment enrollment enrollments bursar studentservices students alumni library librarian faculty
    school schooloffice secretary secretariat deansoffice headteacher principal campus academics education
    management manager managers director directors board boardofdirectors ceo cfo cto coo cio ciso cmo cpo
    cso executive executives exec president presidentoffice vicepresident chairman chair chairperson
    headoffice headquarters hq corporate company investor investors investorrelations shareholders
    subscribe subscriptions subscription unsubscribe optout remove member members membership memberships
    volunteer volunteers donate donation donations donors fundraising grants outreach council mayor clerk
    clerks townhall cityhall police fire emergency citizen citizens consular consulate embassy clinic
    pharmacy doctor doctors nurse nurses appointments appointment crew everyone everybody all allstaff
    staff employees team teams theteam group department dept committee webinar webinars survey surveys
    verification verify billinghelp postoffice mailroom franchise franchising licensing licence license
    appeals moderator moderators guest guests demo sample example user username anonymous temp undisclosed
    undisclosedrecipients administration administrators admins adminteam monitoring monitor reports report
    reporting reply replies bugs errors error updates update campaign content brand branding agency
    creative deals ecommerce offers seo mkt mktg publisher publishers marketplace merchants salesops
    salesforce newbusiness insidesales marketingteam advertisingsales growth leads trade referrals
    ambassadors calendar conference conferences invites invitations rsvp schedule workshop workshops
    academy accessibility advice advisors apply application applications archive archives backup biz
    comments connect consulting consultants contracts corp courses database devteam directory employment
    engineers expenses general global graphics hrdept ideas implementation inbound infra insights
    insurance integration integrations interns internal international invest investment investments
    leadership leasing mailing mgmt mobile moreinfo officeadmin officemanager onboarding parts planning
    platform postbox program programs programme receipts receptionist recruit revenue rfp rnd software
    solutions strategy studio submissions submit success supervisor supervisors teachers technical
    technology tools trustees users volunteering webdev writers fax faq questions question voicemail docs
    documentation download downloads chat crm custserv customerfeedback memberservices studentaffairs
    theoffice alarm alarms requests mailer accountmanager accountmanagers allemployees allusers allteam
    coordinator`,
  german: `
    verwaltung sekretariat buero buro büro zentrale empfang anfrage anfragen kontakt auskunft vertrieb
    verkauf einkauf bestellung bestellungen auftrag kundenservice kundendienst kundenbetreuung
    kundensupport kunden reklamation buchhaltung rechnung rechnungen rechnungswesen finanzen personal
    personalabteilung bewerbung bewerbungen karriere ausbildung presse pressestelle redaktion werbung
    geschaeftsfuehrung geschäftsführung geschaeftsleitung geschaeftsstelle geschäftsstelle vorstand
    leitung technik edv datenschutz datenschutzbeauftragter dsb versand lager logistik werkstatt praxis
    kanzlei hausverwaltung rathaus gemeinde stadtverwaltung buergerbuero bürgerbüro poststelle
    reservierung anmeldung mitglieder mitgliederverwaltung schule schulleitung schulsekretariat bibliothek
    pfarramt pfarrbuero impressum hinweisgeber`,
  french: `
    accueil contactez renseignement renseignements commercial commerciale ventes vente achats achat
    commande commandes devis serviceclient serviceclients clientele sav comptabilite comptabilité compta
    facturation factures facture rh ressourceshumaines recrutement emploi carrieres candidature
    candidatures redaction rédaction direction directeur secrétariat administratif juridique
    confidentialite confidentialité donneespersonnelles rgpd informatique technique livraison livraisons
    expedition logistique magasin boutique mairie gestion reclamation reclamations réclamations assistance
    abonnement abonnements inscription inscriptions adhesion scolarite bibliotheque cabinet courrier`,
  spanish: `
    informacion información contacto contactenos consultas ventas compras pedidos pedido presupuesto
    presupuestos atencionalcliente atencioncliente clientes servicioalcliente soporte soportetecnico ayuda
    facturacion facturación facturas contabilidad administracion administración finanzas pagos cobros
    tesoreria rrhh recursoshumanos empleo trabajo curriculum prensa comunicacion comunicación publicidad
    mercadeo direccion dirección gerencia gerente secretaria secretaría juridico privacidad
    protecciondedatos lopd sistemas informatica tecnologia envios logistica almacen tienda reservas
    recepcion recepción oficina ayuntamiento alcaldia reclamaciones sugerencias calidad proveedores
    matriculas inscripciones biblioteca administrador admisiones comunicaciones capacitacion equipo
    reserva reservaciones redaccion operaciones ingenieria presidencia notificaciones contador farmacia
    turismo colegio`,
  italian: `
    informazioni informazione contatti contatto vendite acquisti ordini ordine preventivi preventivo
    servizioclienti assistenzaclienti assistenza assistenzatecnica clienti amministrazione contabilita
    contabilità fatture fatturazione fornitori pagamenti risorseumane lavoro ufficio ufficiostampa stampa
    redazione comunicazione pubblicita direzione segreteria presidenza legale tecnico ufficiotecnico
    protezionedati spedizioni magazzino negozio prenotazioni ricevimento comune protocollo sindaco reclami
    qualita iscrizioni`,
  portuguese: `
    informacao informacoes informações contato contatos vendas orcamento orcamentos orçamento atendimento
    atendimentoaocliente suporte suportetecnico ajuda sac faturamento faturacao cobranca cobrança
    contabilidade financeiro administrativo administracao administração vagas curriculos imprensa
    comunicacao marketingdigital diretoria direcao ouvidoria privacidade lgpd encarregado expedicao
    estoque loja recepcao prefeitura qualidade fornecedores comercial publicidade escritorio equipe geral
    redacao engenharia suprimentos consultoria fiscal contabil`,
  dutch: `
    informatie contactformulier verkoop inkoop bestellingen bestelling offerte offertes klantenservice
    klantendienst klacht klachten administratie boekhouding facturen facturatie factuur financien
    financiën debiteuren crediteuren personeelszaken personeel vacature vacatures sollicitatie
    sollicitaties werkenbij pers redactie communicatie directie secretariaat receptie juridisch
    privacyverklaring gegevensbescherming avg techniek automatisering magazijn logistiek verzending winkel
    reserveringen reservering gemeentehuis gemeente leden ledenadministratie bestuur penningmeester
    voorzitter secretaris inschrijving`,
  polish: `
    informacja informacje kontakty sprzedaz sprzedaż zamowienia zamówienia zamowienie zakupy oferty oferta
    obslugaklienta biuroobslugiklienta pomoc wsparcie serwis reklamacje ksiegowosc księgowość faktury
    finanse kadry rekrutacja praca kariera prasa redakcja biuro biuroprasowe dyrekcja dyrektor zarzad
    zarząd prawny rodo iod iodo ochronadanych informatyk informatyka magazyn logistyka wysylka sklep
    rezerwacje recepcja urzad gmina starostwo szkola biblioteka prezes administracja`,
  czechAndSlovak: `
    informace informacie prodej predaj obchod objednavky objednávky objednavka nakup poptavka poptavky
    zakaznickyservis zakaznickapodpora zakaznik podpora reklamace reklamacie ucetni účetní ucetnictvi
    uctovnictvo uctaren fakturace fakturacia personalni prace tisk tiskove tlac redakce redakcia vedeni
    reditel riaditel kancelar kancelária kancelaria pravni poverenec sklad doprava eshop rezervace
    rezervacie recepce recepcia podatelna starosta obec mesto skola knihovna kniznica`,
  swedish: `
    kundtjanst kundtjänst kundservice forsaljning försäljning bestallning inkop inköp faktura fakturor
    ekonomi redovisning personalavdelning rekrytering jobb lediga redaktionen kommunikation ledning kansli
    kansliet styrelse ordforande kassor kassör sekreterare dataskydd dataskyddsombud registrator kommun
    kommunen vaxel växel bokning bokningar butik medlem medlemmar`,
  danishAndNorwegian: `
    kundeservice salg ordre bestilling indkob indkøb innkjop innkjøp regnskab regnskap bogholderi okonomi
    økonomi personale rekruttering stilling stillinger redaksjon kommunikasjon ledelse direktion kontor
    kontoret bestyrelse styret styre formand kasserer persondata personvern databeskyttelse postmottak
    kommune sekretariatet butikk medlemsservice hovedpostkasse firmapost`,
  finnish: `
    asiakaspalvelu myynti tilaukset tilaus ostot laskutus laskut kirjanpito talous henkilosto henkilöstö
    rekrytointi tyopaikat avoimettyopaikat tiedotus viestinta viestintä toimitus johto toimisto hallinto
    hallitus puheenjohtaja sihteeri tietosuoja tietosuojavastaava kirjaamo vastaanotto varaukset varasto
    myymala tuki tekninentuki kunta`,
  turkish: `
    bilgi iletisim iletişim satis satış siparis sipariş satinalma satınalma musterihizmetleri
    müşterihizmetleri musteri destek teknikdestek yardim yardım muhasebe fatura finans insankaynaklari
    insankaynakları kariyer basın yonetim yönetim mudur müdür sekreter hukuk kvkk bilgiislem lojistik depo
    kargo magaza mağaza rezervasyon resepsiyon belediye okul kutuphane sikayet şikayet halklailiskiler`,
  russianInLatinLetters: `
    informatsiya informaciya svyaz prodazhi prodaji zakaz zakazy zakupki snabzhenie otdelprodazh
    podderzhka pomosch pomosh servis reklama buhgalteria buhgalter buhgalteriya bukhgalteria oplata
    finansy otdelkadrov rabota vakansii rezume pressa pressluzhba redaktsiya redakciya direktor direkciya
    priemnaya priyomnaya ofis yurist sekretar kancelyariya logistika dostavka magazin bronirovanie
    administraciya zhaloby zhaloba`,
  russian: `
    инфо информация контакт контакты почта связь продажи отделпродаж заказ заказы закупки снабжение
    поддержка техподдержка помощь сервис реклама маркетинг бухгалтерия бухгалтер оплата счета финансы
    кадры отделкадров персонал работа вакансии резюме пресса прессслужба редакция директор дирекция
    приемная приёмная офис секретарь секретариат юрист канцелярия склад логистика доставка магазин
    бронирование администрация администратор админ жалобы клиенты клиент партнеры справка`,
  ukrainian: `
    інфо інформація контакти пошта звязок продажі замовлення закупівлі підтримка допомога сервіс
    бухгалтерія фінанси відділкадрів робота вакансії преса пресслужба редакція приймальня офіс секретар
    канцелярія zakupivli zamovlennya pidtrymka dopomoga buhgalteriia vakansiyi robota`,
  japanese: `
    otoiawase toiawase madoguchi uketsuke eigyo eigyou eigyobu soumu soumubu jinji jinjibu saiyo saiyou
    keiri keiribu kouhou koho jimukyoku chumon chuumon kojinjoho kanri kanribu shien okyakusama お問い合わせ
    お問合せ 問い合わせ 問合せ 窓口 受付 営業 営業部 総務 総務部 人事 人事部 採用 経理 経理部 広報 事務局 注文 個人情報 管理 管理者 情報 サポート`,
  chinese: `
    kefu xiaoshou caiwu renshi zhaopin hezuo shangwu lianxi bangong xingzheng caigou shichang jishu tousu
    客服 销售 銷售 财务 財務 招聘 合作 商务 商務 联系 聯絡 办公室 辦公室 行政 采购 採購 市场 市場 技术 技術 投诉 投訴 服务 服務 管理员`,
  korean: `
    gogaek munui yeongeop chaeyong chongmu hoegye 고객 고객센터 고객지원 문의 영업 인사 채용 홍보 총무 회계 관리자 안내`,
};
